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

// Receives at least one byte into the span and returns how many; kTimeout when none came in time. A function, like
// platform::Channel's receive, because this library makes no system calls.
using ReceiveSome = std::function<Result<std::size_t>(std::span<std::byte>, std::chrono::milliseconds)>;

// Assembles frames. Keeps the received part of an unfinished one, so a caller may wait in slices. Used by one thread at a time.
class FrameReader {
 public:
  explicit FrameReader(ReceiveSome receive) : receive_(std::move(receive)) {}

  // Returns the next whole frame, or nullopt when it is not complete in time. Memory grows with what arrives, never with what a
  // header claims.
  // Fails with kUnavailable when the other end is closed and with kCorrupt when the bytes are no frame.
  Result<std::optional<std::vector<std::byte>>> next(std::chrono::milliseconds timeout);

 private:
  Result<std::size_t> missing() const;

  ReceiveSome receive_;
  std::vector<std::byte> buffer_;
};

}  // namespace fuselab::wire
