/* Words that C shares with Python. Written by scripts/runtime: do not edit. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CODE_FLOAT32 0
#define CODE_INT32 1
#define CODE_INT64 2
#define CODE_BOOL 3
#define CODE_UINT8 4
#define CODE_FLOAT64 5
#define CODE_FLOAT16 6
#define CODE_INT8 7
#define CODE_INT16 8
#define CODE_UINT16 9
#define CODE_UINT32 10
#define CODE_UINT64 11
#define CODE_BFLOAT16 12
#define CODE_FLOAT8_E4M3FN 13
#define CODE_FLOAT8_E5M2 14
#define MAX_RANK 8
#define MAX_BYTES 281474976710656
#define ALIGNMENT 64
#define HOST 0
#define CLASSES 768
#define UNIT_BITS 6
#define STEP_BITS 4
#define NO_WORKSPACE 1
#define SIZE 104
#define COUNT 13
#define STORAGE_CODE (-1)
#define READ_ONLY 1
#define OFF_HOST 2
#define CODE 2
#define CELL 24
#define CELL_COUNT 0
#define CELL_KEEPS 1
#define CELL_WORDS 2
#define CELL_CODE 4
#define CELL_FILLED 15
#define CELL_NUMBERS 16
#define CELL_TAG 2
#define CELL_SIZE 3
#define CELL_FIELDS 5
#define MOST_FIELDS 19
#define ADT_CODE (-2)
#define CLOSURE_CODE (-3)
#define CHUNK_CELLS 341
#define CHUNK_HEADER 8
#define CHUNK 8192
#define CELLS_KEPT 65536
#define MOST_SEEN 32
#define MACHINE 68
#define HEADER 4
#define BACK (-4)
#define CALLER (-3)
#define INTO (-2)
#define REGISTERS (-1)
#define MAX_STACK 67108864
#define LEAST_STACK 1024
#define STACK_KEPT 262144
#define EVENT 16
#define EVENT_DIMS 3
#define MAX_LOGGED_DIMS 13
#define REPEATING 21
#define RUN 0
#define FIELD 1
#define TAG 2
#define ON_TAG 3
#define WHEN 4
#define GOTO 5
#define MAKE 6
#define INVOKE 7
#define TAIL 8
#define ENTER 9
#define BACK_STEP 10
#define PYTHON_STEP 11
#define APPEND 12
#define HOST_STEP 13
#define MOST_OPERANDS 4
#define FUNCTION 3
#define RETURNED 0
#define RETURNED_TENSOR 1
#define AGAIN 2
#define PYTHON 3
#define TOO_DEEP 4
#define NO_MEMORY 5
#define FAILED 16
#define BEGUN 0
#define NO_STACK 1
#define NOT_TAKEN (-1)
#define TENSOR_PORT 0
#define DATA_PORT 1
#define TUPLE_PORT 2
#define MOST_OBJECTS 4194304
#define MOST_MAPPED 64
#define PAGE 0
#define SPANS 1
#define SPAN 3
#define SPAN_BEGIN 0
#define SPAN_END 1
#define SPAN_LOST 2

struct pool {
  int64_t limit;
  int64_t used;
  int64_t peak;
  int64_t held;
  int64_t allocations;
  int64_t system_calls;
  int64_t values;
  int64_t denied;
  struct dropped *returned;
  struct block *heads[CLASSES];
};
_Static_assert(offsetof(struct pool, limit) == 0, "LIMIT");
_Static_assert(offsetof(struct pool, used) == 8, "USED");
_Static_assert(offsetof(struct pool, peak) == 16, "PEAK");
_Static_assert(offsetof(struct pool, held) == 24, "HELD");
_Static_assert(offsetof(struct pool, allocations) == 32, "ALLOCATIONS");
_Static_assert(offsetof(struct pool, system_calls) == 40, "SYSTEM_CALLS");
_Static_assert(offsetof(struct pool, values) == 48, "VALUES");
_Static_assert(offsetof(struct pool, denied) == 56, "DENIED");
_Static_assert(offsetof(struct pool, returned) == 64, "RETURNED");
_Static_assert(offsetof(struct pool, heads) == 72, "HEADS");

struct tensor {
  int64_t address;
  int64_t elements;
  int64_t code;
  int64_t rank;
  int64_t flags;
  int64_t dims[MAX_RANK];
};
_Static_assert(offsetof(struct tensor, address) == 0, "ADDRESS");
_Static_assert(offsetof(struct tensor, elements) == 8, "ELEMENTS");
_Static_assert(offsetof(struct tensor, code) == 16, "CODE");
_Static_assert(offsetof(struct tensor, rank) == 24, "RANK");
_Static_assert(offsetof(struct tensor, flags) == 32, "FLAGS");
_Static_assert(offsetof(struct tensor, dims) == 40, "DIMS");

struct machine {
  struct pool *pool;
  struct log *log;
  int64_t left;
  int64_t right;
  struct cell *free;
  int64_t cells;
  int64_t needed;
  struct chunk *chunks;
  int64_t total;
  struct cell **stack;
  int64_t capacity;
  int64_t frame;
  const struct step *step;
  int64_t depth;
  int64_t room;
  int64_t most_depth;
  int64_t budget;
  struct cell *result;
  int64_t done;
  const struct function *functions;
  struct cell *given;
  struct tensor out;
  struct { int64_t address, bytes; } out_pair;
  int64_t seen[MOST_SEEN];
};
_Static_assert(offsetof(struct machine, pool) == 0, "POOL");
_Static_assert(offsetof(struct machine, log) == 8, "LOG");
_Static_assert(offsetof(struct machine, left) == 16, "LEFT");
_Static_assert(offsetof(struct machine, right) == 24, "RIGHT");
_Static_assert(offsetof(struct machine, free) == 32, "FREE");
_Static_assert(offsetof(struct machine, cells) == 40, "CELLS");
_Static_assert(offsetof(struct machine, needed) == 48, "NEEDED");
_Static_assert(offsetof(struct machine, chunks) == 56, "CHUNKS");
_Static_assert(offsetof(struct machine, total) == 64, "TOTAL");
_Static_assert(offsetof(struct machine, stack) == 72, "STACK");
_Static_assert(offsetof(struct machine, capacity) == 80, "CAPACITY");
_Static_assert(offsetof(struct machine, frame) == 88, "FRAME");
_Static_assert(offsetof(struct machine, step) == 96, "STEP");
_Static_assert(offsetof(struct machine, depth) == 104, "DEPTH");
_Static_assert(offsetof(struct machine, room) == 112, "ROOM");
_Static_assert(offsetof(struct machine, most_depth) == 120, "MOST_DEPTH");
_Static_assert(offsetof(struct machine, budget) == 128, "BUDGET");
_Static_assert(offsetof(struct machine, result) == 136, "RESULT");
_Static_assert(offsetof(struct machine, done) == 144, "DONE");
_Static_assert(offsetof(struct machine, functions) == 152, "FUNCTIONS");
_Static_assert(offsetof(struct machine, given) == 160, "GIVEN");
_Static_assert(offsetof(struct machine, out) == 168, "OUT");
_Static_assert(offsetof(struct machine, out_pair) == 272, "OUT_PAIR");
_Static_assert(offsetof(struct machine, seen) == 288, "SEEN");

struct step {
  int64_t operation;
  int64_t number;
  int64_t next;
  int64_t a;
  int64_t b;
  int64_t c;
  int64_t arguments;
  int64_t dying;
  int64_t first[];
};
_Static_assert(offsetof(struct step, operation) == 0, "OPERATION");
_Static_assert(offsetof(struct step, number) == 8, "NUMBER");
_Static_assert(offsetof(struct step, next) == 16, "NEXT");
_Static_assert(offsetof(struct step, a) == 24, "A");
_Static_assert(offsetof(struct step, b) == 32, "B");
_Static_assert(offsetof(struct step, c) == 40, "C");
_Static_assert(offsetof(struct step, arguments) == 48, "ARGUMENTS");
_Static_assert(offsetof(struct step, dying) == 56, "DYING");
_Static_assert(offsetof(struct step, first) == 64, "FIRST");
