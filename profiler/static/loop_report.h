// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/profile/code_report.h"
#include "core/profile/metric.h"
#include "profiler/static/disassembly.h"

namespace fuselab::profile {

// The machine code of x86-64, of NVIDIA's GPUs and of AMD's.
enum class InstructionSet { kX86, kSass, kAmdgcn };

// Adds the loops and instructions of one kernel, the plan's `step`, to the report; of a GPU's also its functions.
void add_code(const std::vector<DisassembledFunction>& functions, int step, CodeReport& report,
              InstructionSet set = InstructionSet::kX86);

// Puts sampled addresses onto the instructions that they were seen at, and onto their loops. Addresses outside of any instruction
// are left out.
void add_hits(const std::vector<CodeHit>& hits, CodeReport& report);

}  // namespace fuselab::profile
