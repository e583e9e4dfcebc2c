// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

namespace fuselab::simt {

// How far each thread knows of the others' work: vector clocks. Behind the threads stand slots for what runs beside them, copies
// and matrix products in flight. What threads have learnt together at a barrier they hold together, so that a barrier of all
// threads costs no more than one step of each.
class Clocks {
 public:
  using Known = std::vector<std::uint32_t>;

  void begin(std::size_t threads) {
    own_.assign(threads, 1);
    known_.assign(threads, std::make_shared<Known>(threads, 0));
  }
  std::uint32_t now(int who) const { return own_[at(who)]; }
  bool knows(int who, int whom, std::uint32_t when) const {
    return (who == whom ? own_[at(who)] : (*known_[at(who)])[at(whom)]) >= when;
  }
  // What `who` has done so far becomes known to whoever acquires `into`.
  void release(int who, Known& into) {
    into.resize(own_.size());
    join(into, *known_[at(who)]);
    into[at(who)] = std::max(into[at(who)], own_[at(who)]++);
  }
  void acquire(int who, const Known& from) {
    std::shared_ptr<Known>& mine = known_[at(who)];
    if (mine.use_count() > 1) mine = std::make_shared<Known>(*mine);
    join(*mine, from);
  }
  // What `who` does from now on is told apart from what it has done.
  void tick(int who) { ++own_[at(who)]; }
  // A barrier of these: each knows what the others have done.
  void meet(std::span<const int> members) {
    const auto all = std::make_shared<Known>(own_.size());
    const Known* last = nullptr;
    for (const int each : members) {
      if (last != known_[at(each)].get()) join(*all, *known_[at(each)]);
      last = known_[at(each)].get();
    }
    for (const int each : members) (*all)[at(each)] = own_[at(each)]++;
    for (const int each : members) known_[at(each)] = all;
  }
  void meet(int first, int count) {
    std::vector<int> members(at(count));
    std::iota(members.begin(), members.end(), first);
    meet(members);
  }

 private:
  static std::size_t at(int who) { return static_cast<std::size_t>(who); }
  static void join(Known& to, const Known& from) {
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = std::max(to[i], from[i]);
  }
  std::vector<std::uint32_t> own_;
  std::vector<std::shared_ptr<Known>> known_;  // of the others
};

}  // namespace fuselab::simt
