// SPDX-License-Identifier: Apache-2.0
#include "app/session/cpu_gate.h"

namespace fuselab::session {

CpuGate::Beside::Beside(CpuGate& gate, std::stop_token stop) : gate_(gate) {
  std::unique_lock lock(gate_.mutex_);
  held_ = gate_.changed_.wait(lock, std::move(stop), [this] { return !gate_.alone_ && gate_.waiting_ == 0; });
  if (held_) ++gate_.beside_;
}

CpuGate::Beside::~Beside() {
  if (!held_) return;
  std::lock_guard const lock(gate_.mutex_);
  --gate_.beside_;
  gate_.changed_.notify_all();
}

CpuGate::Alone::Alone(CpuGate& gate, std::stop_token stop) : gate_(gate) {
  std::unique_lock lock(gate_.mutex_);
  ++gate_.waiting_;
  held_ = gate_.changed_.wait(lock, std::move(stop), [this] { return !gate_.alone_ && gate_.beside_ == 0; });
  --gate_.waiting_;
  gate_.alone_ = gate_.alone_ || held_;
  if (!held_) gate_.changed_.notify_all();
}

CpuGate::Alone::~Alone() {
  if (!held_) return;
  std::lock_guard const lock(gate_.mutex_);
  gate_.alone_ = false;
  gate_.changed_.notify_all();
}

}  // namespace fuselab::session
