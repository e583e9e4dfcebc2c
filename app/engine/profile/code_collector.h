// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <vector>

#include "app/engine/workers/worker_pool.h"
#include "core/profile/code_report.h"

namespace fuselab::engine {

inline constexpr int kCodeCollectorVersion = 4;

// Reads the machine code of a plan's kernels with the system's disassembler and a model of its processor, both found in $PATH and
// run as programs. Lines of the source come from compiling the same source once more with them; they are left out where that makes
// other instructions. What is absent is a reason within the report.
CodeReport collect_code(const std::vector<CompiledKernel>& kernels, const DeviceInfo& device, WorkerPool& workers,
                        const std::stop_token& stop);

}  // namespace fuselab::engine
