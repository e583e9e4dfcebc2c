// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/platform/channel.h"

namespace fuselab::wire {

// Frames over a channel. Keeps what arrived of an unfinished frame, so waiting may be done in slices. One thread at a time.
class FrameStream {
 public:
  explicit FrameStream(platform::Channel channel) : channel_(std::move(channel)) {}

  Status send(std::span<const std::byte> frame, std::chrono::milliseconds timeout) { return channel_.send(frame, timeout); }
  // The next whole frame, or nothing when it is not complete in time. kUnavailable: the other end is closed;
  // kCorrupt: what arrives is no frame. Memory grows with what arrives, never with what a header claims.
  Result<std::optional<std::vector<std::byte>>> next(std::chrono::milliseconds timeout);
  int fd() const { return channel_.fd(); }

 private:
  Result<std::size_t> missing() const;

  platform::Channel channel_;
  std::vector<std::byte> buffer_;
};

}  // namespace fuselab::wire
