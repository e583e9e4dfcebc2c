// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/kernel/compiled_kernel.h"

namespace fuselab::engine {

// Takes a program of several kernels, as Inductor makes one for CUDA, apart: returns each kernel with its own source, binary,
// launch and resources, in the program's order; none where it only calls libraries. Any other kernel is returned alone.
// Fails with kCorrupt where the program's binary is shorter than what it says of its kernels.
Result<std::vector<CompiledKernel>> kernels_of_program(const CompiledKernel& program, const Target& target);

}  // namespace fuselab::engine
