// SPDX-License-Identifier: Apache-2.0
#include "backends/emulator/block_run.h"

#include <algorithm>

namespace fuselab::simt {
namespace {

constexpr std::size_t kSlots = 128;  // copies of the engine, and groups of products, in flight
constexpr int kNamedBarriers = 15;
constexpr std::int64_t kMatrixRow = 16;
constexpr std::uint64_t kOneIn = 16;  // turns in which the engine finishes a copy

std::string line_mark(int line) {
  return place_mark(static_cast<CodePlace>(line));
}

const char* name_of(ShuffleKind kind) {
  switch (kind) {
    case ShuffleKind::kXor: return "fl_shuffle_xor";
    case ShuffleKind::kDown: return "fl_shuffle_down";
    case ShuffleKind::kIndex: return "fl_shuffle";
  }
  return "";
}

// Which lane's value a lane gets, as the vendor's manual has it: out of reach is one's own.
int source_lane(ShuffleKind kind, int lane, int operand, int width) {
  const int first = lane & ~(width - 1);
  const int last = first + width - 1;
  switch (kind) {
    case ShuffleKind::kXor: return (lane ^ operand) > last || (lane ^ operand) < 0 ? lane : lane ^ operand;
    case ShuffleKind::kDown: return lane + operand > last ? lane : lane + operand;
    case ShuffleKind::kIndex: return first + (operand & (width - 1));
  }
  return lane;
}

}  // namespace

BlockRun::BlockRun(WatchedMemory& memory, int threads, std::int64_t blocks, std::uint64_t seed, std::int64_t step_limit,
                   int cluster, int lanes)
    : memory_(memory),
      block_threads_(threads),
      lanes_(lanes),
      blocks_(blocks),
      random_(seed),
      step_limit_(step_limit),
      threads_(static_cast<std::size_t>(threads * cluster)) {
  memory_.watch(&clocks_, threads, cluster);
  for (int i = 0; i < threads * cluster; ++i) fibers_.push_back(std::make_unique<Fiber>());
}

Access BlockRun::access(CodePlace place) const {
  return {block_, current_, clocks_.now(current_), place};
}

void BlockRun::enter(void* self) {
  auto* const run = static_cast<BlockRun*>(self);
  (*run->kernel_)();
  run->wait(State::kEnded, 0);
}

void BlockRun::run(std::int64_t block, const std::function<void()>& kernel) {
  kernel_ = &kernel;
  block_ = block;
  slots_.assign(kSlots, false);
  clocks_.begin(threads_.size() + kSlots);
  named_.clear();
  phases_.clear();
  hidden_.clear();
  joined_.clear();
  groups_.assign((threads_.size() + kGroup - 1) / kGroup, {});
  group_fenced_.assign(groups_.size(), false);
  memory_.begin_block();
  arrived_.assign((threads_.size() + lanes_ - 1) / lanes_, 0);
  plain_banks_.begin(arrived_.size());
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    threads_[i] = Thread();
    fibers_[i]->start(&BlockRun::enter, this);
    ready_.push_back(static_cast<int>(i));
  }
  do {
    run_ready();
  } while (finish_a_copy() || release_barriers());
  end_block();
}

void BlockRun::run_ready() {
  while (!ready_.empty()) {
    if (!engine_copies_.empty() && random_.below(kOneIn) == 0) finish_a_copy();
    std::swap(ready_[random_.below(ready_.size())], ready_.back());
    current_ = ready_.back();
    ready_.pop_back();
    ++switches_;
    step();
    fibers_[static_cast<std::size_t>(current_)]->resume();
    const int warp = current_ / lanes_;
    current_ = -1;
    if (arrived_[static_cast<std::size_t>(warp)] == lanes_) exchange(warp);
    if (complete_ >= 0) finish_together();
  }
}

void BlockRun::wait(State state, int line) {
  const auto self = static_cast<std::size_t>(current_);
  threads_[self].state = state;
  threads_[self].line = line;
  fibers_[self]->suspend();
}

void BlockRun::wake(int thread) {
  threads_[static_cast<std::size_t>(thread)].state = State::kReady;
  ready_.push_back(thread);
}

void BlockRun::end_block() {
  settle(0, static_cast<int>(threads_.size()));
  for (const auto& [barrier, phase] : phases_) {
    if (phase.copy_line == 0) continue;
    report("block " + std::to_string(block_ + memory_.rank_of(barrier)) + " ends without waiting for the copy" +
           line_mark(phase.copy_line));
  }
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    const Thread& thread = threads_[i];
    std::vector<const Store*> left;
    for (const auto& group : thread.stores) {
      for (const Store& each : group) left.push_back(&each);
    }
    for (const Store& each : thread.open_stores) left.push_back(&each);
    if (left.empty()) continue;
    report(name_of(static_cast<int>(i)) + " ends while its store" + line_mark(left.front()->line) +
           " still reads shared memory: fl_store_wait is missing");
  }
}

bool BlockRun::has_ended(int rank) const {
  const auto first = threads_.begin() + rank * block_threads_;
  return std::all_of(first, first + block_threads_, [](const Thread& thread) { return thread.state == State::kEnded; });
}

void BlockRun::barrier(int line) {
  wait(State::kAtBarrier, line);
}

void BlockRun::cluster_barrier(int line) {
  wait(State::kAtClusterBarrier, line);
}

// False when all threads have ended.
bool BlockRun::release_barriers() {
  const int all = static_cast<int>(threads_.size());
  if (std::all_of(threads_.begin(), threads_.end(), [](const Thread& thread) { return thread.state == State::kEnded; }))
    return false;
  bool any = release(State::kAtClusterBarrier, 0, all);
  for (int first = 0; first < all; first += block_threads_) any = release(State::kAtBarrier, first, block_threads_) || any;
  if (!any) report_stuck();
  return true;
}

// Opens the barrier when all of these threads wait there: of a block at the same place, of a cluster each warp at the same place.
bool BlockRun::release(State state, int first, int count) {
  for (int i = first; i < first + count; ++i) {
    const Thread& thread = threads_[static_cast<std::size_t>(i)];
    const int with = state == State::kAtClusterBarrier ? i / kWarp * kWarp : first;
    if (thread.state != state || thread.line != threads_[static_cast<std::size_t>(with)].line) return false;
  }
  clocks_.meet(first, count);
  settle(first, count);
  for (int i = first; i < first + count; ++i) wake(i);
  return true;
}

void BlockRun::barrier_of(int number, int threads, int line) {
  if (number < 1 || number > kNamedBarriers || threads < kWarp || threads % kWarp != 0 || threads > block_threads_) {
    report(name_of(current_) + " calls fl_barrier_of" + line_mark(line) + " for barrier " + std::to_string(number) + " of " +
           std::to_string(threads) + " threads; there are barriers 1 to 15, for whole warps of a block");
  }
  NamedBarrier& barrier = named_[{rank(), number}];
  if (!barrier.here.empty() && barrier.threads != threads) {
    report(name_of(current_) + " waits at barrier " + std::to_string(number) + line_mark(line) + " for " + std::to_string(threads) +
           " threads, " + name_of(barrier.here.front()) + " for " + std::to_string(barrier.threads));
  }
  barrier.threads = threads;
  barrier.here.push_back(current_);
  if (barrier.here.size() < static_cast<std::size_t>(threads)) return wait(State::kAtNamed, line);
  clocks_.meet(barrier.here);
  for (const int each : barrier.here) {
    if (each % kWarp == 0) settle(each, kWarp);
    if (each != current_) wake(each);
  }
  barrier.here.clear();
}

std::uint64_t BlockRun::shuffle(std::uint64_t bits, ShuffleKind kind, int operand, int width, int line) {
  Thread& self = threads_[static_cast<std::size_t>(current_)];
  if (width < 1 || width > lanes_ || (width & (width - 1)) != 0) {
    report("thread " + std::to_string(thread()) + " calls " + simt::name_of(kind) + line_mark(line) + " with width " +
           std::to_string(width) + ", which is not a power of two up to " + std::to_string(lanes_));
  }
  self.kind = kind;
  self.operand = operand;
  self.width = width;
  self.bits = bits;
  ++arrived_[static_cast<std::size_t>(current_ / lanes_)];
  wait(State::kInShuffle, line);
  return self.bits;
}

void BlockRun::check_exchange(int warp) const {
  const Thread& first = threads_[static_cast<std::size_t>(warp * lanes_)];
  for (int lane = 1; lane < lanes_; ++lane) {
    const Thread& other = threads_[static_cast<std::size_t>(warp * lanes_ + lane)];
    if (other.kind == first.kind && other.width == first.width && other.line == first.line) continue;
    const auto call = [](const Thread& thread) {
      return std::string(simt::name_of(thread.kind)) + " of width " + std::to_string(thread.width) + line_mark(thread.line);
    };
    report("the lanes of warp " + std::to_string(warp * lanes_ % block_threads_ / lanes_) + " of block " +
           std::to_string(block_ + warp * lanes_ / block_threads_) + " part ways: lane 0 is in " + call(first) + ", lane " +
           std::to_string(lane) + " in " + call(other));
  }
}

void BlockRun::exchange(int warp) {
  check_exchange(warp);
  settle(warp * lanes_, lanes_);
  std::uint64_t given[kMostLanes];
  for (int lane = 0; lane < lanes_; ++lane) given[lane] = threads_[static_cast<std::size_t>(warp * lanes_ + lane)].bits;
  for (int lane = 0; lane < lanes_; ++lane) {
    Thread& thread = threads_[static_cast<std::size_t>(warp * lanes_ + lane)];
    thread.bits = given[source_lane(thread.kind, lane, thread.operand, thread.width)];
    wake(warp * lanes_ + lane);
  }
  arrived_[static_cast<std::size_t>(warp)] = 0;
}

void BlockRun::together(int members, Together work, void* mine, int line) {
  Thread& self = threads_[static_cast<std::size_t>(current_)];
  self.work = work;
  self.mine = mine;
  self.members = members;
  const int first = rank() * block_threads_ + thread() / members * members;
  if (++joined_[{first, members}] == members) complete_ = first;
  wait(State::kTogether, line);
}

void BlockRun::finish_together() {
  leading_ = std::exchange(complete_, -1);
  const Thread& leader = threads_[static_cast<std::size_t>(leading_)];
  settle(leading_, leader.members);
  std::vector<void*> each;
  for (int i = leading_; i < leading_ + leader.members; ++i) {
    const Thread& thread = threads_[static_cast<std::size_t>(i)];
    if (thread.work != leader.work || thread.line != leader.line) {
      report("threads that belong together part ways: " + name_of(leading_) + " is" + line_mark(leader.line) + ", " + name_of(i) +
             line_mark(thread.line));
    }
    each.push_back(thread.mine);
    wake(i);
  }
  joined_.erase({leading_, leader.members});
  leader.work(each.data());
}

// These threads have waited for each other.
void BlockRun::settle(int first, int count) {
  for (int warp = first / lanes_; counts_plain_ && warp * lanes_ < first + count; ++warp) plain_banks_.settle(warp);
}

void BlockRun::meet(int members) {
  clocks_.meet(leading_, members);
}

void BlockRun::count_rows(const unsigned long long* rows, bool reads, int line) {
  rows_banks_.count_rows(rows, kWarp);
  for (int row = 0; reads && row < kWarp; ++row) {
    const int lane = std::max(row % 8 * 4, row == 0 ? 1 : 0);  // one that gets of it and has not named it
    memory_.check(rows[row], kMatrixRow, false,
                  {block_, leading_ + lane, clocks_.now(leading_ + lane), static_cast<CodePlace>(line)});
  }
}

int BlockRun::take_slot() {
  const auto free = std::find(slots_.begin(), slots_.end(), false);
  if (free == slots_.end()) {
    report_limit("the executor follows " + std::to_string(kSlots) +
                 " copies and groups of products in flight in a cluster; block " + std::to_string(block_) + " begins one more");
  }
  *free = true;
  return static_cast<int>(threads_.size()) + static_cast<int>(free - slots_.begin());
}

Access BlockRun::slot_access(int slot, int first, int count, int line) {
  Clocks::Known known;
  for (int i = first; i < first + count; ++i) clocks_.release(i, known);
  clocks_.acquire(slot, known);
  return {block_, slot, clocks_.now(slot), static_cast<CodePlace>(line)};
}

// "0-31, 40": the threads that meet the condition.
template <typename Condition>
std::string BlockRun::numbers(Condition which) const {
  std::string text;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (!which(threads_[i])) continue;
    std::size_t last = i;
    while (last + 1 < threads_.size() && which(threads_[last + 1])) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(i) + (last > i ? "-" + std::to_string(last) : "");
    i = last;
  }
  return text;
}

std::string BlockRun::name_of(int thread) const {
  return "thread " + std::to_string(thread % block_threads_) + " of block " + std::to_string(block_ + thread / block_threads_);
}

std::string BlockRun::describe(State state, int line) const {
  const std::string who = "threads " + numbers([&](const Thread& thread) {
                            return thread.state == state && (state == State::kEnded || thread.line == line);
                          });
  switch (state) {
    case State::kEnded: return who + " have ended";
    case State::kAtBarrier: return who + " wait at the barrier" + line_mark(line);
    case State::kAtClusterBarrier: return who + " wait at the cluster's barrier" + line_mark(line);
    case State::kAtNamed: return who + " wait at a numbered barrier" + line_mark(line);
    case State::kInShuffle: return who + " wait in a shuffle" + line_mark(line) + " for the other lanes of their warps";
    case State::kTogether: return who + " wait" + line_mark(line) + " for the other threads of their warps or warpgroups";
    case State::kAtPhase: return who + " wait for a phase" + line_mark(line) + " that never completes";
    case State::kReady: break;
  }
  return who;
}

void BlockRun::report_stuck() const {
  std::string text = "the threads of block " + std::to_string(block_) + " part ways";
  if (cluster() > 1) {
    text = "the threads of blocks " + std::to_string(block_) + " to " + std::to_string(block_ + cluster() - 1) +
           " part ways (numbered through, " + std::to_string(block_threads_) + " each)";
  }
  if (threads_.size() % lanes_ != 0) text += " (" + std::to_string(threads_.size()) + " threads: the last warp is not full)";
  std::vector<std::pair<State, int>> seen;
  for (const Thread& thread : threads_) {
    const std::pair<State, int> group{thread.state, thread.state == State::kEnded ? 0 : thread.line};
    if (std::find(seen.begin(), seen.end(), group) != seen.end()) continue;
    text += (seen.empty() ? ": " : "; ") + describe(group.first, group.second);
    seen.push_back(group);
  }
  report(text);
}

void BlockRun::report_endless() const {
  report_limit("the launch has not ended after " + std::to_string(step_limit_) + " steps; block " +
               std::to_string(block_ + std::max(rank(), 0)) + ", thread " + std::to_string(thread()) + " runs");
}

}  // namespace fuselab::simt
