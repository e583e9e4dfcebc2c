// SPDX-License-Identifier: Apache-2.0
#include "backends/emulator/block_run.h"

#include <algorithm>
#include <utility>

#include "core/base/assert.h"

namespace fuselab::simt {
namespace {

constexpr std::size_t kSlots = 64;  // copies and groups of products in flight

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
                   int cluster)
    : memory_(memory),
      block_threads_(threads),
      blocks_(blocks),
      random_(seed),
      step_limit_(step_limit),
      threads_(static_cast<std::size_t>(threads * cluster)) {
  memory_.watch(&clocks_);
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
  phases_.clear();
  named_.clear();
  groups_.assign((threads_.size() + kGroup - 1) / kGroup, {});
  memory_.begin_block();
  arrived_.assign((threads_.size() + kWarp - 1) / kWarp, 0);
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    threads_[i] = Thread();
    fibers_[i]->start(&BlockRun::enter, this);
    ready_.push_back(static_cast<int>(i));
  }
  do {
    run_ready();
  } while (finish_a_copy() || release_barrier());
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i].stores.empty()) continue;
    report("thread " + std::to_string(i) + " of block " + std::to_string(block_) + " ends while its store" +
           line_mark(threads_[i].stores.front().line) + " still reads shared memory");
  }
}

void BlockRun::run_ready() {
  while (!ready_.empty()) {
    if (!boxes_.empty() && random_.below(16) == 0) finish_a_copy();
    std::swap(ready_[random_.below(ready_.size())], ready_.back());
    current_ = ready_.back();
    ready_.pop_back();
    ++switches_;
    step();
    fibers_[static_cast<std::size_t>(current_)]->resume();
    const int warp = current_ / kWarp;
    current_ = -1;
    if (arrived_[static_cast<std::size_t>(warp)] == kWarp) exchange(warp);
    if (complete_ >= 0) finish_together();
  }
}

void BlockRun::wait(State state, int line) {
  const auto self = static_cast<std::size_t>(current_);
  threads_[self].state = state;
  threads_[self].line = line;
  fibers_[self]->suspend();
}

void BlockRun::barrier(int line) {
  wait(State::kAtBarrier, line);
}

// False when all blocks of the cluster are done.
bool BlockRun::release_barrier() {
  if (std::all_of(threads_.begin(), threads_.end(), [](const Thread& thread) { return thread.state == State::kEnded; }))
    return false;
  bool any = false;
  for (int each = 0; each < cluster(); ++each) any = release_block(each) || any;
  if (!any) report_stuck();
  return true;
}

// True when all threads of the block wait at the same barrier, which then opens.
bool BlockRun::release_block(int rank) {
  const auto first = threads_.begin() + rank * block_threads_, last = first + block_threads_;
  if (std::any_of(first, last,
                  [&](const Thread& thread) { return thread.state != State::kAtBarrier || thread.line != first->line; }))
    return false;
  clocks_.meet(rank * block_threads_, block_threads_);
  for (int i = rank * block_threads_; i < (rank + 1) * block_threads_; ++i) {
    threads_[static_cast<std::size_t>(i)].state = State::kReady;
    ready_.push_back(i);
  }
  return true;
}

std::uint64_t BlockRun::shuffle(std::uint64_t bits, ShuffleKind kind, int operand, int width, int line) {
  Thread& self = threads_[static_cast<std::size_t>(current_)];
  if (width < 1 || width > kWarp || (width & (width - 1)) != 0) {
    report("thread " + std::to_string(current_) + " calls " + name_of(kind) + line_mark(line) + " with width " +
           std::to_string(width) + ", which is not a power of two up to 32");
  }
  self.kind = kind;
  self.operand = operand;
  self.width = width;
  self.bits = bits;
  ++arrived_[static_cast<std::size_t>(current_ / kWarp)];
  wait(State::kInShuffle, line);
  return self.bits;
}

void BlockRun::check_exchange(int warp) const {
  const Thread& first = threads_[static_cast<std::size_t>(warp * kWarp)];
  for (int lane = 1; lane < kWarp; ++lane) {
    const Thread& other = threads_[static_cast<std::size_t>(warp * kWarp + lane)];
    if (other.kind == first.kind && other.width == first.width && other.line == first.line) continue;
    const auto call = [](const Thread& thread) {
      return std::string(name_of(thread.kind)) + " of width " + std::to_string(thread.width) + line_mark(thread.line);
    };
    report("the lanes of warp " + std::to_string(warp) + " of block " + std::to_string(block_) + " part ways: lane 0 is in " +
           call(first) + ", lane " + std::to_string(lane) + " in " + call(other));
  }
}

void BlockRun::exchange(int warp) {
  check_exchange(warp);
  std::uint64_t given[kWarp];
  for (int lane = 0; lane < kWarp; ++lane) given[lane] = threads_[static_cast<std::size_t>(warp * kWarp + lane)].bits;
  for (int lane = 0; lane < kWarp; ++lane) {
    Thread& thread = threads_[static_cast<std::size_t>(warp * kWarp + lane)];
    thread.bits = given[source_lane(thread.kind, lane, thread.operand, thread.width)];
    thread.state = State::kReady;
    ready_.push_back(warp * kWarp + lane);
  }
  arrived_[static_cast<std::size_t>(warp)] = 0;
}

void BlockRun::copy_async(std::uintptr_t to, std::uintptr_t from, std::int64_t bytes, std::int64_t valid, int line) {
  memory_.begin_copy(to, from, bytes, valid, access(static_cast<CodePlace>(line)));
  threads_[static_cast<std::size_t>(current_)].open.push_back({to, from, bytes, valid});
}

void BlockRun::commit_copies() {
  Thread& self = threads_[static_cast<std::size_t>(current_)];
  self.groups.push_back(std::move(self.open));
  self.open.clear();
}

void BlockRun::wait_copies(int newest, int line) {
  Thread& self = threads_[static_cast<std::size_t>(current_)];
  while (self.groups.size() > static_cast<std::size_t>(newest)) {
    for (const Copy& copy : self.groups.front()) {
      memory_.finish_copy(copy.to, copy.from, copy.bytes, copy.valid, access(static_cast<CodePlace>(line)));
    }
    self.groups.erase(self.groups.begin());
  }
}

void BlockRun::together(int members, Together work, void* mine, int line) {
  Thread& self = threads_[static_cast<std::size_t>(current_)];
  self.work = work;
  self.mine = mine;
  self.members = members;
  const int first = current_ / members * members;
  if (++joined_[first * kGroup + members] == members) complete_ = first;
  wait(State::kTogether, line);
}

void BlockRun::finish_together() {
  const auto first = static_cast<std::size_t>(std::exchange(complete_, -1));
  const Thread& leader = threads_[first];
  std::vector<void*> each;
  for (int i = 0; i < leader.members; ++i) {
    Thread& thread = threads_[first + static_cast<std::size_t>(i)];
    if (thread.work != leader.work || thread.line != leader.line) {
      report("the threads from " + std::to_string(first) + " of block " + std::to_string(block_) + " part ways: thread " +
             std::to_string(first) + " is" + line_mark(leader.line) + ", thread " +
             std::to_string(first + static_cast<std::size_t>(i)) + line_mark(thread.line));
    }
    each.push_back(thread.mine);
    thread.state = State::kReady;
    ready_.push_back(static_cast<int>(first) + i);
  }
  joined_.erase(static_cast<int>(first) * kGroup + leader.members);
  leading_ = static_cast<int>(first);
  leader.work(each.data());
}

void BlockRun::meet(int members) {
  clocks_.meet(leading_, members);
}

BlockRun::Phase& BlockRun::phase_at(std::uintptr_t barrier, int line) {
  const auto known = phases_.find(barrier);
  if (known == phases_.end()) {
    report("thread " + std::to_string(current_) + " of block " + std::to_string(block_) + " uses a barrier" + line_mark(line) +
           " that nobody has initialised, at " + memory_.where(barrier));
  }
  return known->second;
}

void BlockRun::phase_init(std::uintptr_t barrier, int arrivals, int line) {
  memory_.check(barrier, 8, true, access(static_cast<CodePlace>(line)));
  phases_[barrier] = {arrivals, arrivals, 0, 0, {}};
}

void BlockRun::advance(std::uintptr_t barrier, Phase& phase) {
  if (phase.missing > 0 || phase.bytes != 0) return;
  phase.missing = phase.arrivals;
  ++phase.completed;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    Thread& thread = threads_[i];
    if (thread.state != State::kAtPhase || thread.barrier != barrier) continue;
    if ((phase.completed & 1) != static_cast<unsigned>(1 - thread.parity)) continue;
    clocks_.acquire(static_cast<int>(i), phase.known);
    thread.state = State::kReady;
    ready_.push_back(static_cast<int>(i));
  }
}

void BlockRun::phase_arrive(std::uintptr_t barrier, std::int64_t bytes, int line) {
  Phase& phase = phase_at(barrier, line);
  phase.bytes += bytes;
  if (--phase.missing < 0) {
    report("thread " + std::to_string(current_) + " of block " + std::to_string(block_) + " is one arrival too many" +
           line_mark(line));
  }
  clocks_.release(current_, phase.known);
  advance(barrier, phase);
}

// The phase of a parity is complete when the current one has the other parity.
void BlockRun::phase_wait(std::uintptr_t barrier, int parity, int line) {
  Phase& phase = phase_at(barrier, line);
  if ((phase.completed & 1) == static_cast<unsigned>(1 - parity)) return clocks_.acquire(current_, phase.known);
  Thread& self = threads_[static_cast<std::size_t>(current_)];
  self.barrier = barrier;
  self.parity = parity;
  wait(State::kAtPhase, line);
}

int BlockRun::take_slot() {
  const auto free = std::find(slots_.begin(), slots_.end(), false);
  FL_ASSERT(free != slots_.end());
  *free = true;
  return static_cast<int>(threads_.size()) + static_cast<int>(free - slots_.begin());
}

void BlockRun::copy_box(std::vector<BoxPart> parts, std::uintptr_t barrier, int line) {
  const int slot = take_slot();
  Clocks::Known issuer;
  clocks_.release(current_, issuer);
  clocks_.acquire(slot, issuer);
  const Access who{block_, slot, clocks_.now(slot), static_cast<CodePlace>(line)};
  for (const BoxPart& part : parts) memory_.begin_copy(part.to, part.from, part.bytes, part.valid, who);
  phase_at(barrier, line);
  boxes_.push_back({std::move(parts), barrier, slot, line});
}

bool BlockRun::finish_a_copy() {
  if (boxes_.empty()) return false;
  std::swap(boxes_[random_.below(boxes_.size())], boxes_.back());
  const Box box = std::move(boxes_.back());
  boxes_.pop_back();
  Phase& phase = phases_[box.barrier];
  for (const BoxPart& part : box.parts) {
    memory_.finish_copy(part.to, part.from, part.bytes, part.valid,
                        {block_, box.slot, clocks_.now(box.slot), static_cast<CodePlace>(box.line)});
    phase.bytes -= part.bytes;
  }
  clocks_.release(box.slot, phase.known);
  slots_[static_cast<std::size_t>(box.slot) - threads_.size()] = false;
  advance(box.barrier, phase);
  return true;
}

void BlockRun::group_issue(Product product, int line) {
  std::vector<Group>& groups = groups_here();
  if (groups.empty() || !groups.back().known.empty()) groups.push_back({take_slot(), {}, {}});
  Group& open = groups.back();
  const int first = leading_ / kGroup * kGroup;
  for (int i = 0; i < kGroup; ++i) {
    Clocks::Known issuer;
    clocks_.release(first + i, issuer);
    clocks_.acquire(open.slot, issuer);
  }
  const Access who{block_, open.slot, clocks_.now(open.slot), static_cast<CodePlace>(line)};
  for (const auto& [at, bytes] : product.reads) {
    memory_.check(at, bytes, false, who);
    check_fenced(at, bytes, who);
  }
  open.products.push_back(std::move(product));
}

void BlockRun::engine_fence() {
  Thread& self = threads_[static_cast<std::size_t>(current_)];
  self.fenced = clocks_.now(current_);
  clocks_.tick(current_);
}

void BlockRun::check_fenced(std::uintptr_t at, std::int64_t bytes, const Access& who) const {
  for (const Access& write : memory_.writers(at, bytes)) {
    if (write.block < 0 || write.thread >= static_cast<int>(threads_.size())) continue;
    if (write.interval <= threads_[static_cast<std::size_t>(write.thread)].fenced) continue;
    report("an engine reads " + memory_.where(at) + place_mark(who.place) + ", which thread " + std::to_string(write.thread) +
           " of block " + std::to_string(block_) + " has written" + place_mark(write.place) + " with no fl_engine_fence behind it");
  }
}

void BlockRun::store_box(std::vector<BoxPart> parts, int line) {
  const int slot = take_slot();
  Clocks::Known issuer;
  clocks_.release(current_, issuer);
  clocks_.acquire(slot, issuer);
  const Access who{block_, slot, clocks_.now(slot), static_cast<CodePlace>(line)};
  for (const BoxPart& part : parts) {
    memory_.check(part.from, part.bytes, false, who);
    check_fenced(part.from, part.bytes, who);
  }
  threads_[static_cast<std::size_t>(current_)].stores.push_back({std::move(parts), slot, line});
}

void BlockRun::finish_store(const Outgoing& store) {
  const Access who{block_, store.slot, clocks_.now(store.slot), static_cast<CodePlace>(store.line)};
  for (const BoxPart& part : store.parts) {
    if (part.valid == 0) continue;
    memory_.check(part.to, part.valid, true, who);
    __builtin_memcpy(reinterpret_cast<void*>(part.to), reinterpret_cast<const void*>(part.from),
                     static_cast<std::size_t>(part.valid));
  }
}

void BlockRun::wait_stores(int newest) {
  std::vector<Outgoing>& stores = threads_[static_cast<std::size_t>(current_)].stores;
  while (stores.size() > static_cast<std::size_t>(newest)) {
    finish_store(stores.front());
    Clocks::Known known;
    clocks_.release(stores.front().slot, known);
    clocks_.acquire(current_, known);
    slots_[static_cast<std::size_t>(stores.front().slot) - threads_.size()] = false;
    stores.erase(stores.begin());
  }
}

void BlockRun::barrier_of(int number, int threads, int line) {
  std::vector<int>& here = named_[number == 0 ? 0 : rank() * 16 + number];  // 0: of the cluster
  here.push_back(current_);
  if (here.size() == static_cast<std::size_t>(threads)) {
    clocks_.meet(here);
    for (const int each : here) {
      if (each == current_) continue;
      threads_[static_cast<std::size_t>(each)].state = State::kReady;
      ready_.push_back(each);
    }
    here.clear();
    return;
  }
  wait(State::kAtNamed, line);
}

void BlockRun::count_banks(const std::uintptr_t* rows, int count) {
  for (int first = 0; first < count; first += 8) {
    int times[8] = {};
    for (int i = first; i < first + 8; ++i) ++times[rows[i] / 16 % 8];
    conflicts_ += *std::max_element(times, times + 8) - 1;
  }
}

void BlockRun::group_commit() {
  std::vector<Group>& groups = groups_here();
  if (groups.empty() || !groups.back().known.empty()) return;
  clocks_.release(groups.back().slot, groups.back().known);
}

void BlockRun::group_wait(int newest) {
  std::vector<Group>& groups = groups_here();
  const int first = leading_ / kGroup * kGroup;
  while (groups.size() > static_cast<std::size_t>(newest)) {
    Group& oldest = groups.front();
    if (oldest.known.empty()) break;  // open
    for (const Product& product : oldest.products) product.work();
    for (int i = 0; i < kGroup; ++i) clocks_.acquire(first + i, oldest.known);
    slots_[static_cast<std::size_t>(oldest.slot) - threads_.size()] = false;
    groups.erase(groups.begin());
  }
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

std::string BlockRun::describe(State state, int line) const {
  const std::string who = "threads " + numbers([&](const Thread& thread) {
                            return thread.state == state && (state == State::kEnded || thread.line == line);
                          });
  switch (state) {
    case State::kEnded: return who + " have ended";
    case State::kAtBarrier: return who + " wait at the barrier" + line_mark(line);
    case State::kInShuffle: return who + " wait in a shuffle" + line_mark(line) + " for the other lanes of their warps";
    case State::kTogether: return who + " wait" + line_mark(line) + " for the other threads of their warps or groups";
    case State::kAtPhase: return who + " wait for a phase" + line_mark(line) + " that never completes";
    case State::kAtNamed: return who + " wait at a numbered barrier" + line_mark(line);
    case State::kReady: break;
  }
  return who;
}

void BlockRun::report_stuck() const {
  std::string text = "the threads of block " + std::to_string(block_) + " part ways";
  if (threads_.size() % kWarp != 0) text += " (" + std::to_string(threads_.size()) + " threads: the last warp is not full)";
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
  report("the launch has not ended after " + std::to_string(step_limit_) + " steps; block " + std::to_string(block_) + ", thread " +
         std::to_string(current_) + " runs");
}

}  // namespace fuselab::simt
