/* Thunk between compiled code and a BLAS: cblas_sgemm with 64-bit integers, whatever the library's own are, which holds
   the library to a number of threads while it runs. A product of one row is a cblas_sgemv where the library has it, as
   everybody else calls it: sgemm packs the whole matrix for it, and takes several times as long.

   The first of several overlapping calls notes the old number, the last one puts it back; a spin lock covers those few
   instructions and never the product itself. */
#include <stdbool.h>
#include <stdint.h>

struct state {  // one for each library of the process
  int32_t lock, users;
  int32_t before;  // the number of threads to put back, or 0
};

struct {
  void *sgemm;
  void *sgemv;  // null where the library lacks it
  int32_t (*get_threads)(void);  // null where the library lacks either of them
  void (*set_threads)(int32_t threads);
  struct state *state;
  int64_t threads;
} anytile_library;

static void lock(struct state *state) {
  int32_t open = 0;
  while (!__atomic_compare_exchange_n(&state->lock, &open, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    open = 0;
}

static void unlock(struct state *state) { __atomic_store_n(&state->lock, 0, __ATOMIC_RELEASE); }

static void hold_threads(void) {
  struct state *state = anytile_library.state;
  int32_t wanted = anytile_library.threads;
  lock(state);
  if (state->users++ == 0) {
    int32_t now = anytile_library.get_threads();
    state->before = now == wanted ? 0 : now;
    if (state->before)
      anytile_library.set_threads(wanted);
  }
  unlock(state);
}

static void release_threads(void) {
  struct state *state = anytile_library.state;
  lock(state);
  if (--state->users == 0 && state->before) {
    int32_t before = state->before;
    state->before = 0;
    anytile_library.set_threads(before);
  }
  unlock(state);
}

/* A stride of 0, which an empty k gives, is an error to BLAS even where it is never used. */
static int64_t stride(int64_t size) { return size > 1 ? size : 1; }

enum { ROW_MAJOR = 101, PLAIN = 111, TURNED = 112 };  // of cblas

/* The thunk for a library with integers of some width. */
#define THUNK(name, integer)                                                                                          \
  void name(int32_t order, int32_t ta, int32_t tb, int64_t m, int64_t n, int64_t k, float alpha, const void *a,       \
            int64_t lda, const void *b, int64_t ldb, float beta, void *c, int64_t ldc) {                              \
    void (*sgemm)(int32_t, int32_t, int32_t, integer, integer, integer, float, const void *, integer, const void *,   \
                  integer, float, void *, integer) = anytile_library.sgemm;                                           \
    void (*sgemv)(int32_t, int32_t, integer, integer, float, const void *, integer, const void *, integer, float,     \
                  void *, integer) = anytile_library.sgemv;                                                           \
    if (anytile_library.get_threads)                                                                                  \
      hold_threads();                                                                                                 \
    if (sgemv && order == ROW_MAJOR && ta == PLAIN && m == 1 && n > 0 && k > 0)                                       \
      sgemv(order, tb == PLAIN ? TURNED : PLAIN, tb == PLAIN ? k : n, tb == PLAIN ? n : k, alpha, b, stride(ldb), a,  \
            1, beta, c, 1);                                                                                           \
    else                                                                                                              \
      sgemm(order, ta, tb, m, n, k, alpha, a, stride(lda), b, stride(ldb), beta, c, stride(ldc));                     \
    if (anytile_library.get_threads)                                                                                  \
      release_threads();                                                                                              \
  }
THUNK(anytile_blas_thunk32, int32_t)
THUNK(anytile_blas_thunk64, int64_t)
