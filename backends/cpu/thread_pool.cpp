// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/thread_pool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace fuselab::cpu {
namespace {

constexpr int kSpins = 4000;  // some 20 µs: longer than a launch's gap, shorter than a time slice

void pin(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  // Where pinning is forbidden threads wander; timings are then noisier, not wrong.
  static_cast<void>(pthread_setaffinity_np(pthread_self(), sizeof set, &set));
}

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
unsigned keep_denormals() {
  constexpr unsigned kFlushToZero = 0x8000;
  constexpr unsigned kDenormalsAreZero = 0x0040;
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before & ~(kFlushToZero | kDenormalsAreZero));
  return before;
}
void restore_denormals(unsigned before) {
  _mm_setcsr(before);
}
void relax() {
  _mm_pause();
}
#else
unsigned keep_denormals() {
  return 0;
}
void restore_denormals(unsigned) {}
void relax() {}
#endif

}  // namespace

ThreadPool::ThreadPool(std::vector<int> cpus) : cpus_(std::move(cpus)) {
  for (int i = 1; i < size(); ++i) threads_.emplace_back([this, i] { serve(i); });
}

ThreadPool::~ThreadPool() {
  stopping_.store(true);
  generation_.fetch_add(1);
  generation_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::uint32_t ThreadPool::await_change(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  for (int i = 0; i < kSpins; ++i) {
    const std::uint32_t now = value.load(std::memory_order_acquire);
    if (now != old) return now;
    relax();
  }
  value.wait(old, std::memory_order_acquire);
  return value.load(std::memory_order_acquire);
}

void ThreadPool::serve(int index) {
  pin({cpus_[static_cast<std::size_t>(index)]});
  keep_denormals();
  std::uint32_t seen = 0;
  while (true) {
    seen = await_change(generation_, seen);
    if (stopping_.load()) return;
    // Every thread answers, also those without work: the next launch may then change what they look at.
    if (index < active_) (*work_)(index);
    if (remaining_.fetch_sub(1, std::memory_order_acq_rel) == 1) remaining_.notify_one();
  }
}

void ThreadPool::run(int threads, const std::function<void(int)>& work) {
  const int active = std::clamp(threads, 1, size());
  if (active == 1) {
    work(0);
    return;
  }
  work_ = &work;
  active_ = active;
  remaining_.store(static_cast<std::uint32_t>(threads_.size()), std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_acq_rel);
  generation_.notify_all();
  work(0);
  for (std::uint32_t left = remaining_.load(std::memory_order_acquire); left != 0;) left = await_change(remaining_, left);
}

PinnedScope::PinnedScope(int cpu) : before_(affinity()), control_(keep_denormals()) {
  pin({cpu});
}

PinnedScope::~PinnedScope() {
  restore_denormals(control_);
  if (!before_.empty()) pin(before_);
}

}  // namespace fuselab::cpu
