// SPDX-License-Identifier: Apache-2.0
#include "backends/native/compiler/x86_spills.h"

#include <algorithm>
#include <array>
#include <optional>

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

// An instruction that may store a vector register.
struct Instruction {
  std::size_t opcode = 0;  // where it lies
  unsigned prefix = 0;     // 0: none, 1: 66, 2: F3, 3: F2
  std::int64_t bytes = 0;  // of its register
};

// Returns the instruction that begins here, when its base register is one of the first eight.
std::optional<Instruction> instruction_at(Bytes code, std::size_t i) {
  const unsigned first = at(code, i), second = at(code, i + 1), third = at(code, i + 2);
  const bool base_is_low = (second & 0x20U) != 0;
  if (first == 0xc5) return Instruction{i + 2, second & 3, (second & 4) != 0 ? 32 : 16};
  if (first == 0xc4 && (second & 0x1fU) == 1 && base_is_low) return Instruction{i + 3, third & 3, (third & 4) != 0 ? 32 : 16};
  if (first == 0x62 && (second & 7U) == 1 && base_is_low && (third & 0x7cU) == 0x7c)
    return Instruction{i + 4, third & 3, std::int64_t{16} << ((at(code, i + 3) >> 5) & 3)};
  if (first != 0x0f || i < 2) return std::nullopt;
  const unsigned rex = (at(code, i - 1) & 0xf0U) == 0x40 ? at(code, i - 1) : 0;
  if ((rex & 1) != 0) return std::nullopt;
  const unsigned before = at(code, rex != 0 ? i - 2 : i - 1);
  return Instruction{i + 1, before == 0x66 ? 1U : before == 0xf3 ? 2U : before == 0xf2 ? 3U : 0U, 16};
}

}  // namespace

std::int64_t x86_spill_bytes(Bytes code) {
  const bool frame = aligns_stack(code);
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const auto found = instruction_at(code, i);
    if (found && stores_register(at(code, found->opcode), found->prefix) && is_in_frame(code, found->opcode + 1, frame))
      bytes += found->bytes;
  }
  return bytes;
}

}  // namespace fuselab::cpu
