// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "profiler/static/instruction.h"

namespace fuselab::profile {

struct DisassembledFunction {
  std::string name;               // empty where the binary has no name for it
  std::vector<Instruction> code;  // by address
};

// Reads what GNU's `objdump -d -w` or LLVM's `llvm-objdump -d` prints of a shared object, with or without `-l`, in either syntax:
// the functions of its section .text. Lines that are none of it are skipped. Fails with kCorrupt where no instruction is found: the
// text is something else. Of AMD's GPUs, read_amdgcn() reads it.
Result<std::vector<DisassembledFunction>> read_disassembly(std::string_view text);

}  // namespace fuselab::profile
