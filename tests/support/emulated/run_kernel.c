/* Runs the kernel of a shared object on operands from a file, each against a page that ends the process when touched.
 *
 *   run_kernel KERNEL.so ENTRY WORKSPACE JOBS RESULTS
 *
 * JOBS has, until its end: how many symbols, their values, how many tensors; and of each tensor its role, how many
 * bytes it has, and unless it is written its bytes. Of a constant the names of the functions come first, as a text of 64
 * bytes each, that say how large it is as the kernel reads it, and that make it so. All numbers are 64 bits wide.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GIVEN, WRITTEN, CONSTANT, MOST = 16 };
typedef int32_t Kernel(void **data, const int64_t *dims, void *workspace);
typedef int64_t Size(const int64_t *dims);

static void fail(const char *what, const char *which) {
  fprintf(stderr, "run_kernel: %s %s\n", what, which);
  exit(3);
}

/* So many bytes that end where a page begins which nobody may touch, as far as their alignment lets them. */
static char *walled(int64_t bytes, int64_t aligned) {
  int64_t page = sysconf(_SC_PAGESIZE);
  int64_t whole = (bytes + aligned + page - 1) / page * page;
  char *base = mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED || mprotect(base + whole, page, PROT_NONE)) fail("no memory for", "an operand");
  memset(base, 0xff, whole);
  return base + (whole - bytes) / aligned * aligned;
}

static void get(FILE *from, void *to, size_t bytes) {
  if (bytes && fread(to, bytes, 1, from) != 1) fail("ends too soon:", "the file of jobs");
}

static int64_t number(FILE *from) {
  int64_t value;
  get(from, &value, sizeof value);
  return value;
}

static void *named(void *library, const char *name) {
  void *found = dlsym(library, name);
  if (!found) fail("no symbol", name);
  return found;
}

static char *packed(FILE *jobs, void *library, const int64_t *dims, int64_t bytes, const char *size, const char *make) {
  char *raw = walled(bytes, 4);
  get(jobs, raw, bytes);
  char *made = walled(((Size *)named(library, size))(dims), 64);
  void *data[2] = {raw, made};
  if (((Kernel *)named(library, make))(data, dims, NULL)) fail("refused by", make);
  return made;
}

int main(int count, char **words) {
  if (count != 6) fail("expected five arguments, got", count > 1 ? words[1] : "none");
  void *library = dlopen(words[1], RTLD_NOW);
  if (!library) fail("cannot be loaded:", dlerror());
  Kernel *kernel = (Kernel *)named(library, words[2]);
  Size *workspace = *words[3] ? (Size *)named(library, words[3]) : NULL;
  FILE *jobs = fopen(words[4], "rb"), *results = fopen(words[5], "wb");
  if (!jobs || !results) fail("cannot be opened:", words[4]);
  int64_t symbols;
  while (fread(&symbols, sizeof symbols, 1, jobs) == 1) {
    int64_t dims[MOST] = {0}, bytes[MOST], roles[MOST];
    void *data[MOST];
    if (symbols > MOST) fail("too many symbols in", words[4]);
    for (int64_t i = 0; i < symbols; i++) dims[i] = number(jobs);
    int64_t tensors = number(jobs);
    if (tensors > MOST) fail("too many tensors in", words[4]);
    for (int64_t i = 0; i < tensors; i++) {
      char size[64], make[64];
      roles[i] = number(jobs);
      if (roles[i] == CONSTANT) get(jobs, size, 64), get(jobs, make, 64);
      int64_t aligned = number(jobs);
      bytes[i] = number(jobs);
      if (roles[i] == CONSTANT) {
        data[i] = packed(jobs, library, dims, bytes[i], size, make);
      } else {
        data[i] = walled(bytes[i], aligned);
        if (roles[i] == GIVEN) get(jobs, data[i], bytes[i]);
      }
    }
    int32_t status = kernel(data, dims, workspace ? walled(workspace(dims), 64) : NULL);
    if (status) fail("the kernel refused a job of", words[4]);
    for (int64_t i = 0; i < tensors; i++)
      if (roles[i] == WRITTEN && bytes[i] && fwrite(data[i], bytes[i], 1, results) != 1) fail("cannot write", words[5]);
  }
  return fclose(results) ? 4 : 0;
}
