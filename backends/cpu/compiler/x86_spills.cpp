// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/compiler/x86_spills.h"

#include <algorithm>
#include <array>

namespace fuselab::cpu {
namespace {

using Bytes = std::span<const std::byte>;

unsigned at(Bytes code, std::size_t index) {
  return index < code.size() ? std::to_integer<unsigned>(code[index]) : 0;
}

// movups and movaps, of doubles too, and movdqa with its kin. Prefixes 2 and 3 make the first a store of one number.
bool stores_register(unsigned opcode, unsigned prefix) {
  if (opcode == 0x11) return prefix < 2;
  return opcode == 0x29 || (opcode == 0x7f && prefix != 0);
}

// Returns whether the operand at `index` is memory at the stack pointer or, in a frame that has one, at the frame pointer.
bool is_in_frame(Bytes code, std::size_t index, bool has_frame_pointer) {
  const unsigned mode = at(code, index) >> 6, base = at(code, index) & 7;
  if (mode == 3) return false;
  if (base == 4) return at(code, index + 1) == 0x24;
  return has_frame_pointer && base == 5 && mode != 0;
}

// The frame pointer serves the frame where the stack is aligned: `and $-32, %rsp` or `and $-64, %rsp`.
bool aligns_stack(Bytes code) {
  for (const unsigned mask : {0xe0U, 0xc0U}) {
    const std::array<std::byte, 4> text{std::byte{0x48}, std::byte{0x83}, std::byte{0xe4}, std::byte(mask)};
    if (std::search(code.begin(), code.end(), text.begin(), text.end()) != code.end()) return true;
  }
  return false;
}

}  // namespace

std::int64_t x86_spill_bytes(Bytes code) {
  const bool frame = aligns_stack(code);
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const unsigned first = at(code, i);
    const bool base_is_low = (at(code, i + 1) & 0x20U) != 0;  // and not one of r8 to r15
    if (first == 0xc5) {
      const unsigned prefix = at(code, i + 1);
      if (stores_register(at(code, i + 2), prefix & 3) && is_in_frame(code, i + 3, frame)) bytes += (prefix & 4) != 0 ? 32 : 16;
    } else if (first == 0xc4 && (at(code, i + 1) & 0x1fU) == 1 && base_is_low) {
      const unsigned prefix = at(code, i + 2);
      if (stores_register(at(code, i + 3), prefix & 3) && is_in_frame(code, i + 4, frame)) bytes += (prefix & 4) != 0 ? 32 : 16;
    } else if (first == 0x62 && (at(code, i + 1) & 7U) == 1 && base_is_low && (at(code, i + 2) & 0x7cU) == 0x7c) {
      if (stores_register(at(code, i + 4), at(code, i + 2) & 3) && is_in_frame(code, i + 5, frame))
        bytes += std::int64_t{16} << ((at(code, i + 3) >> 5) & 3);
    } else if (first == 0x0f && i > 0 && (at(code, i + 1) == 0x29 || at(code, i + 1) == 0x11)) {
      const bool has_rex = (at(code, i - 1) & 0xf0U) == 0x40;
      const unsigned before = has_rex ? at(code, i - 2) : at(code, i - 1);
      const bool one_number = before == 0xf2 || before == 0xf3;
      if (!one_number && (!has_rex || (at(code, i - 1) & 1U) == 0) && is_in_frame(code, i + 2, frame)) bytes += 16;
    }
  }
  return bytes;
}

}  // namespace fuselab::cpu
