/* Words that C shares with Python. Written by scripts/runtime: do not edit. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FORK 0
#define NUMBER 1
#define COUNT 2
#define LIMIT 3
#define CLOCK 4
#define DONE 5
#define HOME 6
#define LEFT_ALONE (-2)
#define MOST_TEAMS 64
#define MOST_THREADS 1024
#define SPIN_NS 80000
