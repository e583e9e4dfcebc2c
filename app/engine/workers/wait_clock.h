// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <mutex>

namespace fuselab::engine {

// Wall time in which at least one thread waits. Thread-safe.
class WaitClock {
 public:
  // Counts as waiting while it lives.
  class Waiting {
   public:
    explicit Waiting(WaitClock& clock) : clock_(clock) { clock_.begin(); }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    ~Waiting() { clock_.end(); }

   private:
    WaitClock& clock_;
  };

  // Returns the total of waits that have ended.
  double seconds() const {
    const std::lock_guard lock(mutex_);
    return total_.count();
  }

 private:
  using Clock = std::chrono::steady_clock;

  void begin() {
    const std::lock_guard lock(mutex_);
    if (waiting_++ == 0) since_ = Clock::now();
  }
  void end() {
    const std::lock_guard lock(mutex_);
    if (--waiting_ == 0) total_ += Clock::now() - since_;
  }

  mutable std::mutex mutex_;
  int waiting_ = 0;
  Clock::time_point since_;
  std::chrono::duration<double> total_{0};
};

}  // namespace fuselab::engine
