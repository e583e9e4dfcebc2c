// SPDX-License-Identifier: Apache-2.0
#include "backends/emulator/block_run.h"

#include <algorithm>

namespace fuselab::simt {
namespace {

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

BlockRun::BlockRun(WatchedMemory& memory, int threads, std::int64_t blocks, std::uint64_t seed, std::int64_t step_limit)
    : memory_(memory), blocks_(blocks), random_(seed), step_limit_(step_limit), threads_(static_cast<std::size_t>(threads)) {
  for (int i = 0; i < threads; ++i) fibers_.push_back(std::make_unique<Fiber>());
}

Access BlockRun::access(CodePlace place) const {
  return {block_, current_, interval_, place};
}

void BlockRun::enter(void* self) {
  auto* const run = static_cast<BlockRun*>(self);
  (*run->kernel_)();
  run->wait(State::kEnded, 0);
}

void BlockRun::run(std::int64_t block, const std::function<void()>& kernel) {
  kernel_ = &kernel;
  block_ = block;
  interval_ = 0;
  memory_.begin_block();
  arrived_.assign((threads_.size() + kWarp - 1) / kWarp, 0);
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    threads_[i] = Thread();
    fibers_[i]->start(&BlockRun::enter, this);
    ready_.push_back(static_cast<int>(i));
  }
  do {
    run_ready();
  } while (release_barrier());
}

void BlockRun::run_ready() {
  while (!ready_.empty()) {
    std::swap(ready_[random_.below(ready_.size())], ready_.back());
    current_ = ready_.back();
    ready_.pop_back();
    ++switches_;
    step();
    fibers_[static_cast<std::size_t>(current_)]->resume();
    const int warp = current_ / kWarp;
    current_ = -1;
    if (arrived_[static_cast<std::size_t>(warp)] == kWarp) exchange(warp);
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

// False when the block is done.
bool BlockRun::release_barrier() {
  const auto in = [&](State state) {
    return std::count_if(threads_.begin(), threads_.end(), [&](const Thread& thread) { return thread.state == state; });
  };
  const auto all = static_cast<std::ptrdiff_t>(threads_.size());
  if (in(State::kEnded) == all) return false;
  const int line = threads_.front().line;
  if (in(State::kAtBarrier) != all ||
      std::any_of(threads_.begin(), threads_.end(), [&](const Thread& thread) { return thread.line != line; })) {
    report_stuck();
  }
  ++interval_;
  for (int i = 0; i < all; ++i) {
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

void BlockRun::copy_async(std::uintptr_t to, std::uintptr_t from, std::int64_t bytes, int line) {
  memory_.begin_copy(to, from, bytes, access(static_cast<CodePlace>(line)));
  threads_[static_cast<std::size_t>(current_)].open.push_back({to, from, bytes});
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
      memory_.finish_copy(copy.to, copy.from, copy.bytes, access(static_cast<CodePlace>(line)));
    }
    self.groups.erase(self.groups.begin());
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
