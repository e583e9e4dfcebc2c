// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/emulator/fiber.h"
#include "backends/emulator/watched_memory.h"
#include "core/base/random.h"

namespace fuselab::simt {

inline constexpr int kWarp = 32;

inline constexpr int kGroup = 128;  // threads of a warpgroup

// What one thread hands in to something that all threads of a warp or warpgroup do together.
using Together = void (*)(void* const* each);

enum class ShuffleKind { kXor, kDown, kIndex };

// Runs the threads of one block after another's, each thread a fiber. Whoever can go on is picked at random; between two
// barriers the order is another one in every interval. What keeps threads from ever going on is reported, with their numbers.
class BlockRun {
 public:
  // `threads` of each block; `cluster` blocks run together and reach each other's shared memory.
  BlockRun(WatchedMemory& memory, int threads, std::int64_t blocks, std::uint64_t seed, std::int64_t step_limit, int cluster = 1);

  void run(std::int64_t block, const std::function<void()>& kernel);

  // Called by the thread that runs.
  int thread() const { return current_ % block_threads_; }
  int threads() const { return block_threads_; }
  std::int64_t block() const { return block_ + rank(); }
  int rank() const { return current_ / block_threads_; }
  int leading_rank() const { return leading_ / block_threads_; }
  int cluster() const { return static_cast<int>(threads_.size()) / block_threads_; }
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
  void copy_async(std::uintptr_t to, std::uintptr_t from, std::int64_t bytes, std::int64_t valid, int line);
  void commit_copies();
  void wait_copies(int newest, int line);
  // The last of `members` threads to come calls `work` with what each of them has handed in.
  void together(int members, Together work, void* mine, int line);
  // Of those that do something together: each knows what the others have done.
  void meet(int members);
  // Barriers in shared memory, by their address.
  void phase_init(std::uintptr_t barrier, int arrivals, int line);
  void phase_arrive(std::uintptr_t barrier, std::int64_t bytes, int line);
  void phase_wait(std::uintptr_t barrier, int parity, int line);
  // Copies rows of a box, each `bytes` long, at some later time; `rows` are pairs of addresses, from 0: zeros.
  struct BoxPart {
    std::uintptr_t to, from;
    std::int64_t bytes, valid;
  };
  void copy_box(std::vector<BoxPart> parts, std::uintptr_t barrier, int line);
  // Copies a box back at some time until it is waited for.
  void store_box(std::vector<BoxPart> parts, int line);
  void wait_stores(int newest);
  void engine_fence();
  void barrier_of(int number, int threads, int line);
  // A product of a warpgroup: reads the places now and until it is waited for, and is done at some time between.
  struct Product {
    std::vector<std::pair<std::uintptr_t, std::int64_t>> reads;
    std::function<void()> work;
  };
  void group_issue(Product product, int line);  // by the thread that runs last of its group
  void group_commit();
  // Eight rows of 16 bytes pass at once when they lie in eight different parts of the 128 bytes that all banks make.
  void count_banks(const std::uintptr_t* rows, int count);
  void group_wait(int newest);

  std::int64_t steps() const { return steps_; }
  std::int64_t switches() const { return switches_; }
  std::int64_t conflicts() const { return conflicts_; }

 private:
  enum class State { kReady, kAtBarrier, kInShuffle, kTogether, kAtPhase, kAtNamed, kEnded };
  struct Copy {
    std::uintptr_t to, from;
    std::int64_t bytes, valid;
  };
  struct Outgoing {
    std::vector<BoxPart> parts;
    int slot = 0, line = 0;
  };
  struct Thread {
    State state = State::kReady;
    int line = 0;  // where it waits
    ShuffleKind kind = ShuffleKind::kXor;
    int operand = 0;
    int width = 0;
    std::uint64_t bits = 0;
    Together work = nullptr;
    void* mine = nullptr;
    int members = 0;
    std::uintptr_t barrier = 0;
    int parity = 0;
    std::vector<Outgoing> stores;           // oldest first
    std::uint32_t fenced = 0;               // by its clock: what it wrote until then, engines may read
    std::vector<std::vector<Copy>> groups;  // committed, oldest first
    std::vector<Copy> open;
  };

  struct Phase {
    int arrivals = 0, missing = 0;
    std::int64_t bytes = 0;  // expected and not yet come
    std::uint32_t completed = 0;
    Clocks::Known known;
  };
  struct Box {
    std::vector<BoxPart> parts;
    std::uintptr_t barrier = 0;
    int slot = 0, line = 0;
  };
  struct Group {  // of matrix products in flight
    int slot = 0;
    std::vector<Product> products;
    Clocks::Known known;
  };

  static void enter(void* self);
  void run_ready();
  void wait(State state, int line);
  bool release_barrier();
  bool release_block(int rank);
  void exchange(int warp);
  void finish_together();
  void finish_store(const Outgoing& store);
  void check_fenced(std::uintptr_t at, std::int64_t bytes, const Access& who) const;
  void advance(std::uintptr_t barrier, Phase& phase);
  Phase& phase_at(std::uintptr_t barrier, int line);
  bool finish_a_copy();
  int take_slot();
  std::vector<Group>& groups_here() { return groups_[static_cast<std::size_t>(leading_ / kGroup)]; }
  void check_exchange(int warp) const;
  std::string describe(State state, int line) const;
  [[noreturn]] void report_stuck() const;
  [[noreturn]] void report_endless() const;
  template <typename Condition>
  std::string numbers(Condition which) const;

  WatchedMemory& memory_;
  Clocks clocks_;
  std::map<int, int> joined_;  // first thread of a warp or group, with its size in the sign: how many have come
  int leading_ = 0;            // first thread of those that do something together
  int complete_ = -1;          // first thread of those that are complete
  std::map<std::uintptr_t, Phase> phases_;
  std::map<int, std::vector<int>> named_;  // who waits at a numbered barrier
  std::vector<Box> boxes_;
  std::vector<bool> slots_;
  std::vector<std::vector<Group>> groups_;  // of each warpgroup, oldest first; the last is open

  int block_threads_;
  std::int64_t blocks_;
  SeededRandom random_;
  std::int64_t step_limit_;
  std::int64_t steps_ = 0;
  std::int64_t switches_ = 0;
  std::int64_t conflicts_ = 0;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Thread> threads_;
  std::vector<int> ready_;
  std::vector<int> arrived_;  // per warp: lanes in its shuffle
  const std::function<void()>* kernel_ = nullptr;
  std::int64_t block_ = -1;
  int current_ = -1;
};

}  // namespace fuselab::simt
