// What the compiler puts into a kernel calls these: the sanitizers' interface, without the sanitizers.
#pragma once

#include "accesses.h"

extern "C" {

// ---- What the thread sanitizer's instrumentation calls

#define AT_SITE site_of(__builtin_return_address(0))
#define AT_WATCHED(n)                                                                     \
  void __tsan_read##n(void* p) { look((uintptr_t)p, n, READ, AT_SITE); }                  \
  void __tsan_write##n(void* p) { look((uintptr_t)p, n, WRITE, AT_SITE); }                \
  void __tsan_unaligned_read##n(void* p) { look((uintptr_t)p, n, READ, AT_SITE); }        \
  void __tsan_unaligned_write##n(void* p) { look((uintptr_t)p, n, WRITE, AT_SITE); }      \
  void __tsan_volatile_read##n(void* p) { look((uintptr_t)p, n, READ, AT_SITE); }         \
  void __tsan_volatile_write##n(void* p) { look((uintptr_t)p, n, WRITE, AT_SITE); }
AT_WATCHED(1)
AT_WATCHED(2)
AT_WATCHED(4)
AT_WATCHED(8)
AT_WATCHED(16)
void __tsan_read_range(void* p, size_t bytes) { look((uintptr_t)p, bytes, READ, AT_SITE); }
void __tsan_write_range(void* p, size_t bytes) { look((uintptr_t)p, bytes, WRITE, AT_SITE); }
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

// ---- What the undefined behaviour sanitizer's instrumentation calls

struct SourcePlace {
  const char* file;
  uint32_t line, column;
};
struct Type {
  uint16_t kind, info;
  char name[1];
};
struct Misaligned {
  SourcePlace at;
  const Type* type;
  unsigned char log_alignment, kind;
};
struct Typed {
  SourcePlace at;
  const Type* type;
};

void __ubsan_handle_type_mismatch_v1_abort(Misaligned* data, void* p) {
  fault("%s: address %p at @L%u@ is no multiple of %u, as %s must be", who(self->index).text, p, data->at.line,
        1u << data->log_alignment, data->type->name);
}
void __ubsan_handle_out_of_bounds_abort(Typed* data, void* index) {
  fault("%s: index %lld at @L%u@ out of bounds of %s", who(self->index).text, (long long)(intptr_t)index, data->at.line,
        data->type->name);
}
#define AT_ARITHMETIC(fails)                                                                         \
  void __ubsan_handle_##fails##_abort(Typed* data, void*, void*) {                                  \
    fault("%s: " #fails " in %s at @L%u@", who(self->index).text, data->type->name, data->at.line); \
  }
AT_ARITHMETIC(add_overflow)
AT_ARITHMETIC(sub_overflow)
AT_ARITHMETIC(mul_overflow)
AT_ARITHMETIC(divrem_overflow)
AT_ARITHMETIC(negate_overflow)
AT_ARITHMETIC(shift_out_of_bounds)
}
