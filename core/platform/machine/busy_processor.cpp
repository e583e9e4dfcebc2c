// SPDX-License-Identifier: Apache-2.0
#include "core/platform/machine/busy_processor.h"

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <stop_token>

namespace fuselab::platform {
namespace {

int last_usable_processor() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return -1;
  int last = -1;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(static_cast<std::size_t>(i), &set)) last = i;
  }
  return last;
}

bool bind(std::jthread& thread, int processor) {
  if (processor < 0) return false;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(processor), &set);
  return ::pthread_setaffinity_np(thread.native_handle(), sizeof set, &set) == 0;
}

// Computes numbers that the compiler cannot foresee.
void compute(const std::stop_token& stop) {
  std::atomic<unsigned> value{1};
  while (!stop.stop_requested()) value.store(value.load(std::memory_order_relaxed) * 1664525U + 1013904223U);
}

}  // namespace

BusyProcessor::BusyProcessor() : thread_([](const std::stop_token& stop) { compute(stop); }) {
  const int wanted = last_usable_processor();
  if (bind(thread_, wanted)) processor_ = wanted;
}

}  // namespace fuselab::platform
