// SPDX-License-Identifier: Apache-2.0
#include "app/session/job_context.h"

namespace fuselab::session {

void PauseGate::close() {
  std::lock_guard const lock(mutex_);
  closed_ = true;
}

void PauseGate::open() {
  {
    std::lock_guard const lock(mutex_);
    closed_ = false;
  }
  changed_.notify_all();
}

bool PauseGate::closed() const {
  std::lock_guard const lock(mutex_);
  return closed_;
}

void PauseGate::pass(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (!closed_) return;
  auto const start = std::chrono::steady_clock::now();
  ++waiting_;
  changed_.wait(lock, stop, [this] { return !closed_; });
  --waiting_;
  paused_ += std::chrono::steady_clock::now() - start;
}

bool PauseGate::holds() const {
  std::lock_guard const lock(mutex_);
  return closed_ && waiting_ > 0;
}

double PauseGate::paused_seconds() const {
  std::lock_guard const lock(mutex_);
  return paused_.count();
}

}  // namespace fuselab::session
