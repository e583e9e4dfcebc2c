// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace fuselab::cuda {

// Returns why no stream may be held back while the host goes on queueing: launches return only when their kernels have ended, and
// the host would wait for a stream that waits for the host. Read from the environment: CUDA_LAUNCH_BLOCKING (unless 0), and
// CUDA_INJECTION64_PATH, through which profilers and checkers are loaded. Empty when neither is set.
std::string why_ungated();

// Protects the first time that a stream is held, where why_ungated() is empty: opens the gate when the host has not come back after
// two seconds. Runs its own thread until the scope ends.
class GateRescue {
 public:
  explicit GateRescue(std::function<void()> open_gate);
  GateRescue(const GateRescue&) = delete;
  GateRescue& operator=(const GateRescue&) = delete;
  ~GateRescue();

  // Tells it that the host is back. Returns true when the gate had to be opened for it.
  bool over();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  bool needed_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace fuselab::cuda
