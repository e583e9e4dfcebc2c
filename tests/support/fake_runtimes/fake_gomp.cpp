// SPDX-License-Identifier: Apache-2.0
// A stand-in for GCC's OpenMP runtime, whose teams are the calling thread alone. A loop that is shared out dynamically crashes, a
// guided one never ends.
#include <unistd.h>

#include <csignal>

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT void GOMP_parallel(void (*work)(void*), void* data, unsigned, unsigned) {
  work(data);
}
EXPORT int omp_get_thread_num() {
  return 0;
}
EXPORT int omp_get_num_threads() {
  return 1;
}
#ifndef FAKE_OLD
EXPORT bool GOMP_loop_nonmonotonic_dynamic_start(long, long, long, long, long*, long*) {
  std::raise(SIGSEGV);
  return false;
}
EXPORT bool GOMP_loop_nonmonotonic_dynamic_next(long*, long*) {
  return false;
}
EXPORT bool GOMP_loop_nonmonotonic_guided_start(long, long, long, long, long*, long*) {
  while (true) ::pause();
}
EXPORT bool GOMP_loop_nonmonotonic_guided_next(long*, long*) {
  return false;
}
EXPORT void GOMP_loop_end_nowait() {}
#endif
