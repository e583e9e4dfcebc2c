// SPDX-License-Identifier: Apache-2.0
#include "backends/host/pinned_scope.h"

#include <pthread.h>
#include <sched.h>

#include <cstddef>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace fuselab::host {
namespace {

std::vector<int> affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (pthread_getaffinity_np(pthread_self(), sizeof set, &set) != 0) return cpus;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(static_cast<std::size_t>(i), &set)) cpus.push_back(i);
  }
  return cpus;
}

#if defined(__x86_64__)
void restore_denormals(unsigned before) {
  _mm_setcsr(before);
}
#else
void restore_denormals(unsigned) {}
#endif

}  // namespace

void pin_thread(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  static_cast<void>(pthread_setaffinity_np(pthread_self(), sizeof set, &set));
}

#if defined(__x86_64__)
unsigned keep_denormals() {
  constexpr unsigned kFlushToZero = 0x8000;
  constexpr unsigned kDenormalsAreZero = 0x0040;
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before & ~(kFlushToZero | kDenormalsAreZero));
  return before;
}
#else
unsigned keep_denormals() {
  return 0;
}
#endif

PinnedScope::PinnedScope(const std::vector<int>& cpus) : before_(affinity()), control_(keep_denormals()) {
  pin_thread(cpus);
}

PinnedScope::~PinnedScope() {
  restore_denormals(control_);
  if (!before_.empty()) pin_thread(before_);
}

}  // namespace fuselab::host
