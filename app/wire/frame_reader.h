// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace fuselab::wire {

// Receives at least one byte into the span and says how many; kTimeout when none came in time. (platform::Channel's way; this
// room makes no system calls.)
using ReceiveSome = std::function<Result<std::size_t>(std::span<std::byte>, std::chrono::milliseconds)>;

// Puts frames together. Keeps what arrived of an unfinished one, so waiting may be done in slices. One thread at a time.
class FrameReader {
 public:
  explicit FrameReader(ReceiveSome receive) : receive_(std::move(receive)) {}

  // The next whole frame, or nothing when it is not complete in time. kUnavailable: the other end is closed;
  // kCorrupt: what arrives is no frame. Memory grows with what arrives, never with what a header claims.
  Result<std::optional<std::vector<std::byte>>> next(std::chrono::milliseconds timeout);

 private:
  Result<std::size_t> missing() const;

  ReceiveSome receive_;
  std::vector<std::byte> buffer_;
};

}  // namespace fuselab::wire
