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

  int size() const { return static_cast<int>(seats_.size()); }
  // Returns the processor of the calling thread's seat. It changes only inside run_parts().
  int first_cpu() const { return seats_.front().cpu.load(std::memory_order_relaxed); }

  // Calls work(0) … work(threads - 1), each on its own thread, and returns when all have returned. `threads` is limited to size().
  void run(int threads, const std::function<void(int)>& work);

  // Calls work(thread, part) for each of `parts` parts, on so many threads, and returns when all have returned. A thread begins
  // with its own run of parts, the same on every launch, and then takes what others have not begun: the last of theirs first. So a
  // thread whose processor is taken away keeps the others waiting for one part at most. Where even that takes long, a thread that
  // has nothing left to do gives the late one its processor and sleeps. Part boundaries are the caller's, so results do not depend
  // on which thread takes what.
  void run_parts(int threads, int parts, const std::function<void(int, int)>& work);

 private:
  // What one thread has left of its run of parts, and where the thread is. On a line of its own: two threads take neighbouring
  // parts at the same time.
  struct alignas(64) Seat {
    std::atomic<std::uint64_t> left{0};  // launch, first part and end: one word, so that a part is taken once
    std::atomic<bool> busy{false};       // in a part
    std::atomic<bool> away{false};       // moved to another thread's processor for the rest of a launch
    std::atomic<int> cpu{-1};            // the processor that it is pinned to
    std::atomic<int> tid{0};
  };

  void serve(int index);
  void sit(int index);  // pins the calling thread to its seat's processor
  int take_part(Seat& from, std::uint32_t launch, bool own);
  bool work_off(int index, std::uint32_t launch);
  void finish_part();
  // Both return whether a late thread goes on here, so that this one has to sleep at once.
  bool await_late_parts(int index, std::uint32_t launch, double part_ns);
  bool help_late(int index, std::uint32_t launch);
  // Waits until `value` differs from `old`: a short spin, because launches follow each other closely, then sleep.
  static std::uint32_t await_change(const std::atomic<std::uint32_t>& value, std::uint32_t old, bool spin = true);

  std::vector<Seat> seats_;
  std::vector<std::thread> threads_;
  std::atomic<std::uint32_t> launch_{0};  // its lowest bit: every thread answers (run), or parts are taken (run_parts)
  std::atomic<std::uint32_t> remaining_{0};
  std::atomic<bool> stopping_{false}, helping_{false};
  std::atomic<int> active_{0};
  std::atomic<const std::function<void(int)>*> work_{nullptr};
  std::atomic<const std::function<void(int, int)>*> part_work_{nullptr};
};

}  // namespace fuselab::cpu
