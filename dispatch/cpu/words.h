/* Words that C shares with Python. Written by scripts/runtime: do not edit. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLOW (-2147483648)
#define OTHER (-2147483647)
#define ALIGNMENT 64
#define READABLE 257
#define WRITABLE 1281
#define VARARGS 3
#define EXPECTED 0
#define OTHERWISE 1
#define ADDRESS 0
#define EMPTY_ARGUMENTS 1
