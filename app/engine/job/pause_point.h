// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace fuselab::engine {

// A point at which a paused job waits: between blocks, never inside one. Thread-safe.
class PausePoint {
 public:
  void close();
  void open();
  bool closed() const;
  // Returns at once while open; otherwise blocks until it is opened or `stop` is requested.
  void pass(const std::stop_token& stop);
  bool holds() const;  // true while a caller of pass() waits, and will until open()
  // Returns how long pass() has kept its callers waiting so far. This time is not charged to any budget.
  double paused_seconds() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool closed_ = false;
  int waiting_ = 0;
  std::chrono::duration<double> paused_{0};
};

}  // namespace fuselab::engine
