// SPDX-License-Identifier: Apache-2.0
#include "backends/native/threads/thread_pool.h"

#include <algorithm>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "backends/host/pinned_scope.h"

namespace fuselab::cpu {
namespace {

constexpr int kSpins = 4000;  // some 20 µs: longer than a launch's gap, shorter than a time slice

#if defined(__x86_64__)
void relax() {
  _mm_pause();
}
#else
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
  host::pin_thread({cpus_[static_cast<std::size_t>(index)]});
  host::keep_denormals();
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

}  // namespace fuselab::cpu
