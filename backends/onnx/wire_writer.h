// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fuselab::onnx_model {

// One message in protobuf's wire format, written field by field. Workers do not link protobuf. The format is specified at
// protobuf.dev/programming-guides/encoding: a field is a tag (number, kind of value) and a value; a message within a message is its
// bytes behind their length.
class WireWriter {
 public:
  void integer(int field, std::int64_t value) {
    tag(field, 0);
    variable(static_cast<std::uint64_t>(value));
  }
  void real(int field, float value) {
    tag(field, 5);
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) bytes_ += static_cast<char>(bits >> shift & 0xff);
  }
  void text(int field, std::string_view value) {
    tag(field, 2);
    variable(value.size());
    bytes_ += value;
  }
  void message(int field, const WireWriter& value) { text(field, value.bytes_); }
  void bytes(int field, std::span<const std::byte> value) {
    text(field, {reinterpret_cast<const char*>(value.data()), value.size()});
  }

  const std::string& data() const { return bytes_; }

 private:
  void tag(int field, unsigned kind) { variable(static_cast<std::uint64_t>(field) << 3 | kind); }
  // Seven bits a byte, the lowest first; the top bit says that more follow.
  void variable(std::uint64_t value) {
    while (value >= 0x80) {
      bytes_ += static_cast<char>((value & 0x7f) | 0x80);
      value >>= 7;
    }
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace fuselab::onnx_model
