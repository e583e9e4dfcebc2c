// SPDX-License-Identifier: Apache-2.0
#include "app/wire/stream.h"

#include <algorithm>

#include "app/wire/frame.h"
#include "core/platform/clock.h"

namespace fuselab::wire {
namespace {

constexpr std::size_t kPart = std::size_t{1} << 18;

}  // namespace

// Bytes that the frame in the buffer still lacks (of its header, then of its payload).
Result<std::size_t> FrameStream::missing() const {
  if (buffer_.size() < kHeaderBytes) return kHeaderBytes - buffer_.size();
  FL_TRY(FrameHeader const header, parse_header(buffer_));
  return kHeaderBytes + static_cast<std::size_t>(header.payload_bytes) - buffer_.size();
}

Result<std::optional<std::vector<std::byte>>> FrameStream::next(std::chrono::milliseconds timeout) {
  double const deadline = platform::monotonic_now().count + static_cast<double>(timeout.count()) * 1e6;
  for (;;) {
    FL_TRY(std::size_t const lacking, missing());
    if (lacking == 0) return std::optional(std::exchange(buffer_, {}));
    std::size_t const filled = buffer_.size();
    std::size_t const part = std::min(lacking, kPart);
    buffer_.resize(filled + part);
    double const left = std::max(0.0, deadline - platform::monotonic_now().count);
    Result<std::size_t> const got =
        channel_.receive_some(std::span(buffer_).subspan(filled), std::chrono::milliseconds(static_cast<long>(left * 1e-6)));
    buffer_.resize(filled + (got.ok() ? got.value() : 0));
    if (!got.ok() && got.error().code == ErrorCode::kTimeout) return std::optional<std::vector<std::byte>>();
    if (!got.ok()) return got.error();
  }
}

}  // namespace fuselab::wire
