// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <utility>

#include "core/base/result.h"
#include "core/platform/system/unique_fd.h"

namespace fuselab::platform {

// One end of a reliable byte stream between two processes. It survives signals (EINTR) and never raises SIGPIPE. Used by one thread
// at a time.
// Fails with kUnavailable when the other end is closed and with kTimeout when nothing moved in time.
class Channel {
 public:
  explicit Channel(UniqueFd fd) : fd_(std::move(fd)) {}
  // Returns two connected ends, both closed on exec.
  static Result<std::pair<Channel, Channel>> create_pair();

  int fd() const { return fd_.get(); }
  // Sends all of `bytes`; each step of progress renews the timeout.
  Status send(std::span<const std::byte> bytes, std::chrono::milliseconds timeout);
  // Receives at least one and at most `into.size()` bytes.
  Result<std::size_t> receive_some(std::span<std::byte> into, std::chrono::milliseconds timeout);
  void close() { fd_.reset(); }

 private:
  UniqueFd fd_;
};

// Blocks until the other end of `fd` is closed, ignoring everything that arrives meanwhile.
void wait_for_hangup(int fd);

}  // namespace fuselab::platform
