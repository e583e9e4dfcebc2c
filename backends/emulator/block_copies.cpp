// SPDX-License-Identifier: Apache-2.0
// What runs beside the threads of a block and moves memory: copies of a thread, the copy engine, and the barriers that count both.
#include <utility>

#include "backends/emulator/block_run.h"

namespace fuselab::simt {
namespace {

std::string in_line(int line) {
  return place_mark(static_cast<CodePlace>(line));
}

constexpr std::int64_t kBarrierBytes = 8;

}  // namespace

void BlockRun::copy_async(const CopyPart& part, int line) {
  const Access who = access(static_cast<CodePlace>(line));
  memory_.check_aligned(part.to, part.bytes, who);
  memory_.check_aligned(part.from, part.bytes, who);
  if (part.valid < 0 || part.valid > part.bytes) {
    report(name_of(current_) + " copies " + std::to_string(part.valid) + " of " + std::to_string(part.bytes) + " bytes" +
           in_line(line));
  }
  memory_.begin_copy(part.to, part.from, part.bytes, part.valid, who);
  threads_[static_cast<std::size_t>(current_)].open.push_back(part);
}

void BlockRun::commit_copies() {
  Thread& self = threads_[static_cast<std::size_t>(current_)];
  self.copies.push_back(std::move(self.open));
  self.open.clear();
}

void BlockRun::wait_copies(int newest, int line) {
  Thread& self = threads_[static_cast<std::size_t>(current_)];
  while (self.copies.size() > static_cast<std::size_t>(newest)) {
    for (const CopyPart& copy : self.copies.front()) {
      memory_.finish_copy(copy.to, copy.from, copy.bytes, copy.valid, access(static_cast<CodePlace>(line)));
    }
    self.copies.erase(self.copies.begin());
  }
}

BlockRun::Phase& BlockRun::phase_at(std::uintptr_t barrier, int line) {
  const auto known = phases_.find(barrier);
  if (known == phases_.end()) {
    report(name_of(current_) + " uses a barrier" + in_line(line) + " that is not initialised, at " + memory_.where(barrier));
  }
  return known->second;
}

void BlockRun::phase_init(std::uintptr_t barrier, int arrivals, int line) {
  const Access who = access(static_cast<CodePlace>(line));
  memory_.check_aligned(barrier, kBarrierBytes, who);
  memory_.check(barrier, kBarrierBytes, true, who);
  if (arrivals < 1)
    report(name_of(current_) + " initialises a barrier" + in_line(line) + " for " + std::to_string(arrivals) + " arrivals");
  phases_[barrier] = {arrivals, arrivals, 0, 0, current_, false, 0, 0, {}};
}

void BlockRun::phase_publish() {
  for (auto& [barrier, phase] : phases_) phase.published = phase.published || phase.initialised_by == current_;
}

// A thread has waited for all phases until now.
void BlockRun::pass(int thread, Phase& phase) {
  clocks_.acquire(thread, phase.known);
  if (phase.completed > phase.copied_in) phase.copy_line = 0;
}

// Begins the next phase when nothing is missing from this one, and wakes whoever waits for it.
void BlockRun::advance(std::uintptr_t barrier, Phase& phase) {
  if (phase.missing > 0 || phase.bytes != 0) return;
  phase.missing = phase.arrivals;
  ++phase.completed;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    Thread& thread = threads_[i];
    if (thread.state != State::kAtPhase || thread.barrier != barrier) continue;
    if ((phase.completed & 1) != static_cast<unsigned>(1 - thread.parity)) continue;
    pass(static_cast<int>(i), phase);
    wake(static_cast<int>(i));
  }
}

void BlockRun::phase_arrive(std::uintptr_t barrier, std::int64_t bytes, int line) {
  Phase& phase = phase_at(barrier, line);
  phase.bytes += bytes;
  if (--phase.missing < 0) report(name_of(current_) + " is one arrival too many" + in_line(line));
  clocks_.release(current_, phase.known);
  advance(barrier, phase);
}

// The phase of a parity is complete when the current one has the other parity.
void BlockRun::phase_wait(std::uintptr_t barrier, int parity, int line) {
  if (parity != 0 && parity != 1) report(name_of(current_) + " waits" + in_line(line) + " for parity " + std::to_string(parity));
  Phase& phase = phase_at(barrier, line);
  if ((phase.completed & 1) == static_cast<unsigned>(1 - parity)) return pass(current_, phase);
  Thread& self = threads_[static_cast<std::size_t>(current_)];
  self.barrier = barrier;
  self.parity = parity;
  wait(State::kAtPhase, line);
}

void BlockRun::engine_copy(std::vector<CopyPart> parts, std::uintptr_t barrier, int line) {
  if (!phase_at(barrier, line).published) {
    report(name_of(current_) + " has the copy engine use a barrier" + in_line(line) +
           " that it may not know to be initialised: fl_phase_publish is missing");
  }
  const int slot = take_slot();
  const Access who = slot_access(slot, current_, 1, line);
  for (const CopyPart& part : parts) memory_.begin_copy(part.to, part.from, part.bytes, part.valid, who);
  engine_copies_.push_back({std::move(parts), barrier, slot, line});
}

// One of those under way, at random.
bool BlockRun::finish_a_copy() {
  if (engine_copies_.empty()) return false;
  std::swap(engine_copies_[random_.below(engine_copies_.size())], engine_copies_.back());
  const EngineCopy copy = std::move(engine_copies_.back());
  engine_copies_.pop_back();
  Phase& phase = phases_[copy.barrier];
  for (const CopyPart& part : copy.parts) {
    if (const int rank = memory_.rank_of(part.to); has_ended(rank)) {
      report("block " + std::to_string(block_ + rank) + " ends while the copy" + in_line(copy.line) +
             " into its shared memory is under way");
    }
    const Access who{block_, copy.slot, clocks_.now(copy.slot), static_cast<CodePlace>(copy.line)};
    memory_.finish_copy(part.to, part.from, part.bytes, part.valid, who);
    phase.bytes -= part.bytes;
  }
  phase.copy_line = copy.line;
  phase.copied_in = phase.completed;
  clocks_.release(copy.slot, phase.known);
  free_slot(copy.slot);
  advance(copy.barrier, phase);
  return true;
}

void BlockRun::engine_fence() {
  threads_[static_cast<std::size_t>(current_)].fenced = clocks_.now(current_);
  clocks_.tick(current_);
}

// Engines and matrix units reach memory on another way than threads, whose writes are seen there only behind a fence.
void BlockRun::check_fenced(std::uintptr_t at, std::int64_t bytes, const Access& who) {
  for (const Access& write : memory_.writers(at, bytes)) {
    if (write.block < 0 || write.thread >= static_cast<int>(threads_.size())) continue;
    if (write.interval <= threads_[static_cast<std::size_t>(write.thread)].fenced) continue;
    report("an engine reads " + memory_.where(at) + place_mark(who.place) + ", which " + name_of(write.thread) + " has written" +
           place_mark(write.place) + " with no fl_engine_fence behind it");
  }
}

void BlockRun::engine_store(std::vector<CopyPart> parts, int line) {
  const int slot = take_slot();
  const Access who = slot_access(slot, current_, 1, line);
  for (const CopyPart& part : parts) {
    memory_.check(part.from, part.bytes, false, who);
    check_fenced(part.from, part.bytes, who);
  }
  threads_[static_cast<std::size_t>(current_)].open_stores.push_back({std::move(parts), slot, line});
}

void BlockRun::commit_stores() {
  Thread& self = threads_[static_cast<std::size_t>(current_)];
  self.stores.push_back(std::exchange(self.open_stores, {}));
}

void BlockRun::wait_stores(int newest) {
  auto& groups = threads_[static_cast<std::size_t>(current_)].stores;
  while (groups.size() > static_cast<std::size_t>(newest)) {
    for (const Store& store : groups.front()) finish_store(store);
    groups.erase(groups.begin());
  }
}

void BlockRun::finish_store(const Store& store) {
  const Access who{block_, store.slot, clocks_.now(store.slot), static_cast<CodePlace>(store.line)};
  for (const CopyPart& part : store.parts) {
    if (part.valid == 0) continue;
    memory_.check(part.to, part.valid, true, who);
    __builtin_memcpy(reinterpret_cast<void*>(part.to), reinterpret_cast<const void*>(part.from),
                     static_cast<std::size_t>(part.valid));
  }
  Clocks::Known known;
  clocks_.release(store.slot, known);
  clocks_.acquire(current_, known);
  free_slot(store.slot);
}

std::uintptr_t BlockRun::place_in(std::uintptr_t shared, int rank, int line) {
  const std::string who = name_of(current_) + " reaches" + in_line(line) + " into block ";
  if (rank < 0 || rank >= cluster()) {
    report(who + "of rank " + std::to_string(rank) + "; its cluster has " + std::to_string(cluster()));
  }
  if (has_ended(rank)) report(who + std::to_string(block_ + rank) + ", all of whose threads have ended");
  const std::uintptr_t there = memory_.in_rank(shared, rank);
  if (there == 0) report(who + std::to_string(block_ + rank) + ", which may not have begun: a barrier of the cluster is missing");
  return there;
}

}  // namespace fuselab::simt
