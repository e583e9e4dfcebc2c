// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "profiler/static/operands.h"

namespace fuselab::profile {

// One machine instruction as a disassembler prints it: of x86-64 in AT&T's syntax or Intel's, or of a GPU.
struct Instruction {
  std::int64_t address = 0;
  int bytes = 0;
  std::string mnemonic;                // without prefixes: "vfmadd231ps"
  std::string text;                    // mnemonic and operands, without comment
  Operands operands;                   // in AT&T's order: the destination is the last
  std::optional<std::int64_t> target;  // of a direct jump
  int line = 0;                        // of the source; 0: not known
};

// What the mnemonics that begin so work on, in a table of a GPU's instruction set. The first row that fits decides.
struct WorkRow {
  std::string_view begin;
  std::string_view work;
};
// Returns what the mnemonic works on; empty where no row fits.
std::string_view work_in(std::span<const WorkRow> rows, std::string_view mnemonic);

// What an instruction does, as far as a profile counts it.
struct InstructionKind {
  bool is_jump = false, is_call = false, is_padding = false;
  bool is_packed = false;  // works on several numbers in a vector register
  bool is_fused_multiply_add = false, is_divide = false, is_square_root = false;
  bool is_nontemporal = false, is_prefetch = false, is_gather = false;
  bool is_unaligned = false;  // a vector move that allows any address
  bool loads = false, stores = false;
  bool in_frame = false;  // its memory operand is in the stack frame
  int access_bytes = 0;   // of its memory operand
  int vector_bits = 0;    // of its widest vector register; 0: none
  double flops = 0;       // lanes, 2 for a fused multiply-add
  std::string_view work;  // of a GPU: "fp32", "tensor", "global load", …; empty for x86-64
};

// `frame_pointer`: the function addresses its frame with %rbp.
InstructionKind kind_of(const Instruction& instruction, bool frame_pointer);

// Reads "vmovups (%rax),%ymm0  # comment", what stands behind the bytes of an instruction.
void read_instruction_text(std::string_view text, Instruction& instruction);

}  // namespace fuselab::profile
