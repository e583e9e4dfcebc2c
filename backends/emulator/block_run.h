// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/emulator/fiber.h"
#include "backends/emulator/watched_memory.h"
#include "core/base/random.h"

namespace fuselab::simt {

inline constexpr int kWarp = 32;

enum class ShuffleKind { kXor, kDown, kIndex };

// Runs the threads of one block after another's, each thread a fiber. Whoever can go on is picked at random; between two
// barriers the order is another one in every interval. What keeps threads from ever going on is reported, with their numbers.
class BlockRun {
 public:
  BlockRun(WatchedMemory& memory, int threads, std::int64_t blocks, std::uint64_t seed, std::int64_t step_limit);

  void run(std::int64_t block, const std::function<void()>& kernel);

  // Called by the thread that runs.
  int thread() const { return current_; }
  int threads() const { return static_cast<int>(threads_.size()); }
  std::int64_t block() const { return block_; }
  std::int64_t blocks() const { return blocks_; }
  bool running() const { return current_ >= 0; }
  Access access(CodePlace place) const;
  const Fiber& fiber() const { return *fibers_[static_cast<std::size_t>(current_)]; }
  const Fiber& fiber(int thread) const { return *fibers_[static_cast<std::size_t>(thread)]; }
  void step() {
    if (++steps_ > step_limit_) report_endless();
  }
  void barrier(int line);
  std::uint64_t shuffle(std::uint64_t bits, ShuffleKind kind, int operand, int width, int line);
  void copy_async(std::uintptr_t to, std::uintptr_t from, std::int64_t bytes, int line);
  void commit_copies();
  void wait_copies(int newest, int line);

  std::int64_t steps() const { return steps_; }
  std::int64_t switches() const { return switches_; }

 private:
  enum class State { kReady, kAtBarrier, kInShuffle, kEnded };
  struct Copy {
    std::uintptr_t to, from;
    std::int64_t bytes;
  };
  struct Thread {
    State state = State::kReady;
    int line = 0;  // where it waits
    ShuffleKind kind = ShuffleKind::kXor;
    int operand = 0;
    int width = 0;
    std::uint64_t bits = 0;
    std::vector<std::vector<Copy>> groups;  // committed, oldest first
    std::vector<Copy> open;
  };

  static void enter(void* self);
  void run_ready();
  void wait(State state, int line);
  bool release_barrier();
  void exchange(int warp);
  void check_exchange(int warp) const;
  std::string describe(State state, int line) const;
  [[noreturn]] void report_stuck() const;
  [[noreturn]] void report_endless() const;
  template <typename Condition>
  std::string numbers(Condition which) const;

  WatchedMemory& memory_;
  std::int64_t blocks_;
  SeededRandom random_;
  std::int64_t step_limit_;
  std::int64_t steps_ = 0;
  std::int64_t switches_ = 0;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Thread> threads_;
  std::vector<int> ready_;
  std::vector<int> arrived_;  // per warp: lanes in its shuffle
  const std::function<void()>* kernel_ = nullptr;
  std::int64_t block_ = -1;
  std::uint32_t interval_ = 0;
  int current_ = -1;
};

}  // namespace fuselab::simt
