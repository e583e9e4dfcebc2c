// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <thread>

#include "backends/gpu/stream/vendor.h"

namespace fuselab::gpu::stream {

// Returns why no stream may be held back while the host goes on queueing: launches return only when their kernels have ended, and
// the host would wait for a stream that waits for the host. One of the vendor's variables says it in the environment. Empty when
// none is set.
std::string why_ungated(std::span<const BlockingVariable> variables);

// Protects the first time that a stream is held, where why_ungated() says nothing: opens the gate when the host has not come back
// after two seconds. Runs its own thread until the scope ends.
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

}  // namespace fuselab::gpu::stream
