// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace fuselab::cuda {

// Why no stream may be held back while the host goes on queueing: launches return only when their kernels have ended, and the host
// would wait for a stream that waits for the host. Read from the environment: CUDA_LAUNCH_BLOCKING (but for 0), and
// CUDA_INJECTION64_PATH, through which profilers and checkers come in. Empty where nothing says so.
std::string why_ungated();

// For the first time that a stream is held, where nothing said that it must not be: opens the gate when the host is not back after
// two seconds. Its own thread, until the scope ends.
class GateRescue {
 public:
  explicit GateRescue(std::function<void()> open_gate);
  GateRescue(const GateRescue&) = delete;
  GateRescue& operator=(const GateRescue&) = delete;
  ~GateRescue();

  // The host is back. Whether the gate had to be opened for it.
  bool over();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  bool needed_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace fuselab::cuda
