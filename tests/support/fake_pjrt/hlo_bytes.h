// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace fuselab::test {

inline std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7F) | 0x80);
  return bytes + static_cast<char>(value);
}

// One field of a protocol buffer: a text or message, or a number.
inline std::string field(std::uint64_t number, const std::string& bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + bytes;
}
inline std::string field(std::uint64_t number, std::uint64_t value) {
  return varint(number << 3) + varint(value);
}

// Parts of an optimised program, with the numbers of XLA's hlo.proto.
inline std::string fusion(const std::string& kind, const std::string& config = {}) {
  return field(2, field(2, std::string("fusion")) + field(11, kind) + field(43, config));
}
inline std::string call(const std::string& target) {
  return field(2, field(2, std::string("custom-call")) + field(28, target));
}
inline std::string computation(const std::string& instructions, bool is_inside) {
  return field(3, instructions + field(7, std::uint64_t{is_inside ? 1U : 0U}));
}
inline std::string program(const std::string& computations) {
  return field(1, computations) + field(2, std::string("config"));
}

// A program with a fusion inside of another, two fusions and a call.
inline std::string sample_program() {
  return program(computation(fusion("kLoop"), true) +
                 computation(fusion("kLoop") + fusion("kCustom", R"({"fusion_backend_config":{"kind":"__triton_gemm"}})") +
                                 call("__cublas$gemm"),
                             false));
}

}  // namespace fuselab::test
