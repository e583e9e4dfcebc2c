// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/emulator/bank_count.h"
#include "backends/emulator/fiber.h"
#include "backends/emulator/watched_memory.h"
#include "core/base/random.h"

namespace fuselab::simt {

inline constexpr int kWarp = 32;       // of the primitives that know one size of warp: matrices, clusters, warpgroups
inline constexpr int kMostLanes = 64;  // of any warp
inline constexpr int kGroup = 128;     // threads of a warpgroup

// What the last of several threads does for all of them, with what each has handed in.
using Together = void (*)(void* const* each);

enum class ShuffleKind { kXor, kDown, kIndex };

// A piece of an asynchronous copy: `bytes` long, of which the first `valid` are read; the others become zero.
struct CopyPart {
  std::uintptr_t to = 0, from = 0;
  std::int64_t bytes = 0, valid = 0;
};

// A product of a warpgroup. It reads its places when it is issued and until it is waited for.
struct GroupProduct {
  std::vector<std::pair<std::uintptr_t, std::int64_t>> reads;
  std::vector<float*> sums;  // of each thread
  int sums_each = 0;
  bool in_registers = false;                                   // the left matrix
  std::function<void(std::vector<std::vector<float>>&)> work;  // on the sums of each thread
};

// Runs the threads of one block, or of the blocks of one cluster, each thread a fiber. Whoever can go on is picked at random, so
// that the order is another one between any two barriers. What keeps threads from ever going on is reported, with their numbers.
// Inside, the threads of a cluster are numbered through: those of the second block behind those of the first.
class BlockRun {
 public:
  // `threads` of each block; `cluster` blocks run together and reach each other's shared memory. `lanes` threads are a warp, within
  // which values are exchanged.
  BlockRun(WatchedMemory& memory, int threads, std::int64_t blocks, std::uint64_t seed, std::int64_t step_limit, int cluster = 1,
           int lanes = kWarp);

  // Runs the cluster that begins at this block.
  void run(std::int64_t block, const std::function<void()>& kernel);

  // Called by the thread that runs.
  int thread() const { return current_ % block_threads_; }
  int threads() const { return block_threads_; }
  int lanes() const { return lanes_; }
  std::int64_t block() const { return block_ + rank(); }
  std::int64_t blocks() const { return blocks_; }
  int rank() const { return current_ / block_threads_; }
  int cluster() const { return static_cast<int>(threads_.size()) / block_threads_; }
  bool running() const { return current_ >= 0; }
  Access access(CodePlace place) const;
  const Fiber& fiber() const { return *fibers_[static_cast<std::size_t>(current_)]; }
  const Fiber& fiber(int thread) const { return *fibers_[static_cast<std::size_t>(thread)]; }
  void step() {
    if (++steps_ > step_limit_) report_endless();
  }
  void barrier(int line);
  // One of fifteen barriers of a block, for as many threads as come.
  void barrier_of(int number, int threads, int line);
  void cluster_barrier(int line);
  std::uint64_t shuffle(std::uint64_t bits, ShuffleKind kind, int operand, int width, int line);
  // The last of `members` neighbours to come calls `work` with what each of them has handed in.
  void together(int members, Together work, void* mine, int line);

  // Copies of one thread, which it waits for itself.
  void copy_async(const CopyPart& part, int line);
  void commit_copies();
  void wait_copies(int newest, int line);

  // Barriers in shared memory that count arrivals and bytes.
  void phase_init(std::uintptr_t barrier, int arrivals, int line);
  void phase_publish();
  void phase_arrive(std::uintptr_t barrier, std::int64_t bytes, int line);
  void phase_wait(std::uintptr_t barrier, int parity, int line);
  // Copies of the engine: into shared memory at some time, which counts for a barrier; and out of it until they are waited for.
  void engine_copy(std::vector<CopyPart> parts, std::uintptr_t barrier, int line);
  void engine_store(std::vector<CopyPart> parts, int line);
  void commit_stores();
  void wait_stores(int newest);
  // What the thread has written until now, engines and matrix units may read.
  void engine_fence();
  // The same element of the same array in another block of the cluster.
  std::uintptr_t place_in(std::uintptr_t shared, int rank, int line);

  // Called from within the work of those that do something together.
  void meet(int members);
  int leading_rank() const { return leading_ / block_threads_; }
  void group_issue(GroupProduct product, int line);
  void group_fence();
  void group_commit();
  void group_wait(int newest);
  // Each lane of a warp names a row of 16 bytes, which others get.
  void count_rows(const unsigned long long* rows, bool reads, int line);

  std::int64_t steps() const { return steps_; }
  std::int64_t switches() const { return switches_; }
  const BankCount& rows_banks() const { return rows_banks_; }
  // Plain accesses are counted only when that is asked for: it takes time.
  void count_plain_banks() { counts_plain_ = true; }
  bool counts_plain_banks() const { return counts_plain_; }
  void note_plain(std::uintptr_t address, std::int64_t bytes, CodePlace place) {
    plain_banks_.note(current_ / lanes_, current_ % lanes_, place, address, bytes);
  }
  const PlainBanks& plain_banks() const { return plain_banks_; }

 private:
  enum class State { kReady, kAtBarrier, kAtClusterBarrier, kAtNamed, kInShuffle, kTogether, kAtPhase, kEnded };
  struct Store {
    std::vector<CopyPart> parts;
    int slot = 0, line = 0;
  };
  struct Thread {
    State state = State::kReady;
    int line = 0;  // where it waits
    ShuffleKind kind = ShuffleKind::kXor;
    int operand = 0;
    int width = 0;
    std::uint64_t bits = 0;
    int members = 0;
    Together work = nullptr;
    void* mine = nullptr;
    std::uintptr_t barrier = 0;
    int parity = 0;
    std::vector<std::vector<Store>> stores;  // of the engine, committed, oldest first
    std::vector<Store> open_stores;
    std::uint32_t fenced = 0;                   // by its clock: what it wrote until then, engines may read
    std::vector<std::vector<CopyPart>> copies;  // committed, oldest first
    std::vector<CopyPart> open;
  };
  struct Phase {
    int arrivals = 0, missing = 0;
    std::int64_t bytes = 0;  // expected and not yet come
    std::uint32_t completed = 0;
    int initialised_by = 0;
    bool published = false;  // to the copy engine
    int copy_line = 0;       // of a copy that counts for it and that nobody has waited for; 0: none
    std::uint32_t copied_in = 0;
    Clocks::Known known;
  };
  struct EngineCopy {
    std::vector<CopyPart> parts;
    std::uintptr_t barrier = 0;
    int slot = 0, line = 0;
  };
  struct Group {  // of products in flight
    int slot = 0;
    std::vector<GroupProduct> products;
    bool committed = false;
    Clocks::Known known;
  };
  struct HiddenSums {  // of a warpgroup, while products in flight add to them
    int products = 0;
    std::vector<std::vector<float>> values;
  };
  struct NamedBarrier {
    int threads = 0;
    std::vector<int> here;
  };

  static void enter(void* self);
  void run_ready();
  void wait(State state, int line);
  void wake(int thread);
  void end_block();
  bool release_barriers();
  bool release(State state, int first, int count);
  void exchange(int warp);
  void check_exchange(int warp) const;
  void finish_together();
  void settle(int first, int count);
  bool has_ended(int rank) const;

  Phase& phase_at(std::uintptr_t barrier, int line);
  void advance(std::uintptr_t barrier, Phase& phase);
  void pass(int thread, Phase& phase);
  bool finish_a_copy();
  void finish_store(const Store& store);
  void check_fenced(std::uintptr_t at, std::int64_t bytes, const Access& who);
  int take_slot();
  void free_slot(int slot) { slots_[static_cast<std::size_t>(slot) - threads_.size()] = false; }
  // A slot as one who knows what these threads know.
  Access slot_access(int slot, int first, int count, int line);
  std::vector<Group>& groups_here() { return groups_[static_cast<std::size_t>(leading_ / kGroup)]; }

  std::string name_of(int thread) const;
  std::string describe(State state, int line) const;
  [[noreturn]] void report_stuck() const;
  [[noreturn]] void report_endless() const;
  template <typename Condition>
  std::string numbers(Condition which) const;

  WatchedMemory& memory_;
  Clocks clocks_;
  int block_threads_;
  int lanes_;
  std::int64_t blocks_;
  SeededRandom random_;
  std::int64_t step_limit_;
  std::int64_t steps_ = 0;
  std::int64_t switches_ = 0;
  BankCount rows_banks_;
  PlainBanks plain_banks_;
  bool counts_plain_ = false;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Thread> threads_;
  std::vector<int> ready_;
  std::vector<int> arrived_;                   // per warp: lanes in its shuffle
  std::map<std::pair<int, int>, int> joined_;  // first thread and number of those that do something together: how many are there
  int leading_ = 0;                            // first thread of those that do something together now
  int complete_ = -1;                          // first thread of those that are all there
  std::map<std::pair<int, int>, NamedBarrier> named_;  // by rank and number
  std::map<std::uintptr_t, Phase> phases_;
  std::vector<EngineCopy> engine_copies_;
  std::vector<bool> slots_;                 // taken
  std::vector<std::vector<Group>> groups_;  // of each warpgroup, oldest first; the last may be open
  std::vector<bool> group_fenced_;          // since products of the warpgroup were waited for
  std::map<float*, HiddenSums> hidden_;     // by the first thread's sums
  const std::function<void()>* kernel_ = nullptr;
  std::int64_t block_ = -1;
  int current_ = -1;
};

}  // namespace fuselab::simt
