// SPDX-License-Identifier: Apache-2.0
#include "app/engine/job/pause_point.h"

namespace fuselab::engine {

void PausePoint::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
}

void PausePoint::open() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = false;
  }
  changed_.notify_all();
}

bool PausePoint::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

void PausePoint::pass(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (!closed_) return;
  const auto start = std::chrono::steady_clock::now();
  ++waiting_;
  changed_.wait(lock, stop, [this] { return !closed_; });
  --waiting_;
  paused_ += std::chrono::steady_clock::now() - start;
}

bool PausePoint::holds() const {
  const std::lock_guard lock(mutex_);
  return closed_ && waiting_ > 0;
}

double PausePoint::paused_seconds() const {
  const std::lock_guard lock(mutex_);
  return paused_.count();
}

}  // namespace fuselab::engine
