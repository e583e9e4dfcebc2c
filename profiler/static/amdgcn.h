// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "profiler/static/disassembly.h"

// The machine code of AMD's GPUs as LLVM's llvm-objdump prints it. Source: "CDNA 3 Instruction Set Architecture", "RDNA 3
// Instruction Set Architecture", and LLVM's user guide of its AMDGPU target.
namespace fuselab::profile {

// Reads what `llvm-objdump -d`, with or without `-l`, prints of a code object: its functions, without the padding behind them.
// Fails with kCorrupt where no instruction is found.
Result<std::vector<DisassembledFunction>> read_amdgcn(std::string_view text);

// Reads one line of it: "	s_branch 56   // 00000000171C: BF820038 <kernel+0x100>". Returns false where it is none.
bool read_amdgcn_instruction(std::string_view line, Instruction& instruction);

// Returns what one instruction does, of one thread (AMD: work-item); `work` is set, with SASS's words where the work is alike.
// A matrix instruction counts a thread's share of its wavefront's operations. An access to scratch memory is in the frame.
InstructionKind amdgcn_kind_of(const Instruction& instruction);

// Adds the registers that an instruction names: v0 to v511 and a0 to a255 of a thread, s0 to s105 of a whole wavefront.
void add_amdgcn_registers(const Instruction& instruction, std::set<std::string>& own, std::set<std::string>& uniform);

}  // namespace fuselab::profile
