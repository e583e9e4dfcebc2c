/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "code.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fail.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <xmmintrin.h>
#endif

void fl_hash_text(const unsigned char* data, size_t bytes, char* text) {
  unsigned char digest[crypto_hash_sha256_BYTES];
  crypto_hash_sha256(digest, data, bytes);
  sodium_bin2hex(text, 2 * sizeof digest + 1, digest, sizeof digest);
}

int fl_hash_is(const unsigned char* data, size_t bytes, const char* hash) {
  char text[2 * crypto_hash_sha256_BYTES + 1];
  fl_hash_text(data, bytes, text);
  return strcmp(text, hash) == 0;
}

#if defined(__x86_64__)
/* What x86-64-v3 has beside AVX2, and compilers use unasked: a virtual machine may mask each. */
static int has_small_instructions(void) {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d) || (c & bit_MOVBE) == 0 || (c & bit_F16C) == 0) return 0;
  return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & bit_LZCNT) != 0;
}
#endif

int fl_cpu_runs(const char* target) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const int v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                 __builtin_cpu_supports("bmi2") && has_small_instructions();
  if (strcmp(target, "x86-64") == 0) return 1;
  if (strcmp(target, "x86-64-v3") == 0) return v3;
  if (strcmp(target, "x86-64-v4") == 0)
    return v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd");
#endif
  (void)target;
  return 0;
}

static fl_status copy_in(int file, const unsigned char* data, size_t bytes, fl_error* error) {
  while (bytes > 0) {
    const ssize_t written = write(file, data, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return fl_fail(error, FL_IO, "a kernel cannot be copied into memory: %s", strerror(errno));
    data += written;
    bytes -= (size_t)written;
  }
  return FL_OK;
}

static fl_status check_copy(int file, size_t bytes, const char* hash, fl_error* error) {
  if (bytes == 0) return fl_fail(error, FL_CORRUPT, "kernel %.12s is empty", hash);
  unsigned char* const copy = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  if (copy == MAP_FAILED) return fl_fail(error, FL_OUT_OF_MEMORY, "a kernel cannot be mapped: %s", strerror(errno));
  const int fits = fl_hash_is(copy, bytes, hash);
  munmap(copy, bytes);
  return fits ? FL_OK : fl_fail(error, FL_CORRUPT, "kernel %.12s is not the code that the manifest vouches for", hash);
}

fl_status fl_code_load(const unsigned char* elf, size_t bytes, const char* hash, fl_code* code, fl_error* error) {
  code->handle = NULL;
  code->wrong_index = NULL;
  code->file = memfd_create("fuselab-kernel", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (code->file < 0) return fl_fail(error, FL_IO, "no file in memory for a kernel: %s", strerror(errno));
  fl_status status = copy_in(code->file, elf, bytes, error);
  const int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  if (status == FL_OK && fcntl(code->file, F_ADD_SEALS, seals) != 0)
    status = fl_fail(error, FL_IO, "a kernel in memory cannot be sealed: %s", strerror(errno));
  if (status == FL_OK) status = check_copy(code->file, bytes, hash, error);
  if (status == FL_OK) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", code->file);
    code->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (code->handle == NULL) {
      const char* const why = dlerror();
      status = fl_fail(error, FL_LOAD_FAILED, "kernel %.12s cannot be loaded: %s", hash, why == NULL ? "no reason given" : why);
    }
  }
  if (status == FL_OK) code->wrong_index = dlsym(code->handle, "fuselab_wrong_index");
  if (status != FL_OK) fl_code_unload(code);
  return status;
}

void fl_code_unload(fl_code* code) {
  if (code->handle != NULL) dlclose(code->handle);
  if (code->file >= 0) close(code->file);
  code->handle = NULL;
  code->file = -1;
}

fl_function fl_code_find(const fl_code* code, const char* entry) {
  fl_function function = NULL;
  void* const symbol = dlsym(code->handle, entry);
  memcpy(&function, &symbol, sizeof function); /* ISO C has no cast from an object's address to a function's */
  return function;
}

uint64_t fl_code_wrong_indices(const fl_code* code) {
  return code->wrong_index == NULL ? 0 : (uint64_t)__atomic_load_n(&code->wrong_index[0], __ATOMIC_RELAXED);
}

void fl_code_call(fl_function function, void* const* buffers, void* scratch, int64_t begin, int64_t end) {
  if (begin >= end) return;
#if defined(__x86_64__)
  const unsigned before = _mm_getcsr();
  _mm_setcsr(0x1F80); /* denormals kept, nearest, no exception raised */
#endif
  function(buffers, scratch, begin, end);
#if defined(__x86_64__)
  _mm_setcsr(before);
#endif
}
