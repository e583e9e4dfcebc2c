// SPDX-License-Identifier: Apache-2.0
#include "app/wire/frame.h"

#include <cstring>
#include <string>

#include "app/wire/messages.h"

namespace fuselab::wire {
namespace {

constexpr char kMagic[4] = {'F', 'L', 'W', 'R'};

std::uint64_t read_number(std::span<const std::byte> bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) number = number << 8 | std::to_integer<std::uint64_t>(bytes[i - 1]);
  return number;
}

void append_number(std::vector<std::byte>& bytes, std::uint64_t number, int width) {
  for (int i = 0; i < width; ++i) bytes.push_back(static_cast<std::byte>(number >> (8 * i)));
}

}  // namespace

Result<FrameHeader> parse_header(std::span<const std::byte> bytes) {
  FL_ASSERT(bytes.size() >= kHeaderBytes);
  if (std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0) {
    return Error{ErrorCode::kCorrupt, "the other end does not speak Fuselab's protocol"};
  }
  const std::uint64_t version = read_number(bytes.subspan(4, 2));
  if (version != kVersion) {
    return Error{ErrorCode::kCorrupt, "the other end speaks version " + std::to_string(version) +
                                          " of Fuselab's protocol, this is " + std::to_string(kVersion) +
                                          ": use programs of the same build"};
  }
  const FrameHeader header{static_cast<std::uint16_t>(read_number(bytes.subspan(6, 2))), read_number(bytes.subspan(8, 8))};
  if (header.payload_bytes > kMaximumPayload) {
    return Error{ErrorCode::kCorrupt,
                 "a message claims " + std::to_string(header.payload_bytes) + " bytes, more than the 1 GiB allowed"};
  }
  return header;
}

std::vector<std::byte> make_frame(std::uint16_t type, std::span<const std::byte> payload) {
  std::vector<std::byte> bytes;
  bytes.reserve(kHeaderBytes + payload.size());
  for (const char letter : kMagic) bytes.push_back(static_cast<std::byte>(letter));
  append_number(bytes, kVersion, 2);
  append_number(bytes, type, 2);
  append_number(bytes, payload.size(), 8);
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

}  // namespace fuselab::wire
