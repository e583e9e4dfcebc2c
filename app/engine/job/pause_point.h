// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace fuselab::engine {

// Where a paused job waits: between blocks, never inside one. Thread-safe.
class PausePoint {
 public:
  void close();
  void open();
  bool closed() const;
  // Returns at once while open; otherwise when opened or stopped.
  void pass(const std::stop_token& stop);
  bool holds() const;  // a caller of pass() waits, and will until open()
  // How long pass() has kept its callers waiting so far: time that no budget pays for.
  double paused_seconds() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool closed_ = false;
  int waiting_ = 0;
  std::chrono::duration<double> paused_{0};
};

}  // namespace fuselab::engine
