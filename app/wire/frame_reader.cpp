// SPDX-License-Identifier: Apache-2.0
#include "app/wire/frame_reader.h"

#include <algorithm>
#include <utility>

#include "app/wire/frame.h"

namespace fuselab::wire {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kPart = std::size_t{1} << 18;

}  // namespace

// Bytes that the frame in the buffer still lacks (of its header, then of its payload).
Result<std::size_t> FrameReader::missing() const {
  if (buffer_.size() < kHeaderBytes) return kHeaderBytes - buffer_.size();
  FL_TRY(const FrameHeader header, parse_header(buffer_));
  return kHeaderBytes + static_cast<std::size_t>(header.payload_bytes) - buffer_.size();
}

Result<std::optional<std::vector<std::byte>>> FrameReader::next(std::chrono::milliseconds timeout) {
  const Clock::time_point deadline = Clock::now() + timeout;
  for (;;) {
    FL_TRY(const std::size_t lacking, missing());
    if (lacking == 0) return std::optional(std::exchange(buffer_, {}));
    const std::size_t filled = buffer_.size();
    buffer_.resize(filled + std::min(lacking, kPart));
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    const Result<std::size_t> got = receive_(std::span(buffer_).subspan(filled), std::max(left, std::chrono::milliseconds(0)));
    buffer_.resize(filled + (got.ok() ? got.value() : 0));
    if (!got.ok() && got.error().code == ErrorCode::kTimeout) return std::optional<std::vector<std::byte>>();
    if (!got.ok()) return got.error();
  }
}

}  // namespace fuselab::wire
