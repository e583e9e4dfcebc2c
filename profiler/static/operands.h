// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fuselab::profile {

// One operand of an x86 instruction.
struct Operand {
  enum class Kind { kRegister, kMemory, kImmediate, kOther } kind = Kind::kOther;
  std::string text;
  std::vector<std::string> registers;  // named in it, without "%": "ymm0"; of memory: base and index
  std::string base;                    // of memory: "rsp"; empty without one
  int stated_bytes = 0;                // of memory in Intel's syntax: YMMWORD PTR is 32
  bool is_broadcast = false;           // of memory: one element for all lanes, "{1to8}"
};

using Operands = std::vector<Operand>;

// Reads the operands of either syntax; the result is in AT&T's order, the destination last.
Operands read_operands(std::string_view text);

// Returns the bits of a vector register ("ymm3": 256), 0 for another one.
int vector_bits_of(std::string_view name);
// Returns the bytes of a general register ("eax": 4), 0 for another one.
int general_bytes_of(std::string_view name);
// Returns one name for all parts of a register: "ymm3" and "xmm3" are "v3", "eax" and "al" are "rax".
std::string whole_register(std::string_view name);

}  // namespace fuselab::profile
