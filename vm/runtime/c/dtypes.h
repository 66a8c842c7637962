/* Sizes of dtypes. */
#pragma once
#include "words.h"

/* The bytes of an element. */
static inline int64_t bytes_of(int64_t code) {
  switch (code) {
  case CODE_BOOL:
  case CODE_UINT8:
  case CODE_INT8:
  case CODE_FLOAT8_E4M3FN:
  case CODE_FLOAT8_E5M2:
    return 1;
  case CODE_FLOAT16:
  case CODE_BFLOAT16:
  case CODE_INT16:
  case CODE_UINT16:
    return 2;
  case CODE_FLOAT32:
  case CODE_INT32:
  case CODE_UINT32:
    return 4;
  default:
    return 8;
  }
}
