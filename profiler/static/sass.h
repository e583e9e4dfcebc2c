// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "profiler/static/disassembly.h"

// The machine code of NVIDIA's GPUs, SASS, as NVIDIA's nvdisasm prints it. Source: "CUDA Binary Utilities", the instruction set
// reference, for Turing to Blackwell.
namespace fuselab::profile {

// Reads what `nvdisasm -c` prints of a cubin, with or without `-g`: the functions of its sections .text.NAME. A jump's target is
// the address of its label. Fails with kCorrupt where no instruction is found.
Result<std::vector<DisassembledFunction>> read_sass(std::string_view text);

// Returns what one instruction does, of one thread; `work` is set, `is_packed` and what belongs to registers of vectors are not.
// A matrix instruction counts a thread's share of its warp's operations, or of its four warps'. A local access is in the frame: it
// is a spill, or an array that the compiler could not keep in registers.
InstructionKind sass_kind_of(const Instruction& instruction);

// Adds the registers that an instruction names: R0 to R254, and UR0 to UR254 of a whole warp.
void add_sass_registers(const Instruction& instruction, std::set<std::string>& own, std::set<std::string>& uniform);

}  // namespace fuselab::profile
