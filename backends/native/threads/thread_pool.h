// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace fuselab::cpu {

// Threads pinned to one processor each. Between launches they spin briefly, then sleep. The caller of run() takes part as
// the first thread. Used by one thread at a time.
class ThreadPool {
 public:
  explicit ThreadPool(std::vector<int> cpus);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  int size() const { return static_cast<int>(cpus_.size()); }
  const std::vector<int>& cpus() const { return cpus_; }
  // Calls work(0) … work(threads - 1), each on its own thread, and returns when all have returned. `threads` is limited to size().
  void run(int threads, const std::function<void(int)>& work);

 private:
  void serve(int index);
  // Waits until `value` differs from `old`: a short spin, because launches follow each other closely, then sleep.
  static std::uint32_t await_change(const std::atomic<std::uint32_t>& value, std::uint32_t old);

  std::vector<int> cpus_;
  std::vector<std::thread> threads_;
  std::atomic<std::uint32_t> generation_{0};
  std::atomic<std::uint32_t> remaining_{0};
  std::atomic<bool> stopping_{false};
  int active_ = 0;
  const std::function<void(int)>* work_ = nullptr;
};

}  // namespace fuselab::cpu
