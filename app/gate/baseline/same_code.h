// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/kernel/compiled_kernel.h"

namespace fuselab::engine {

// Returns whether two kernels of one device are the very same machine code in the same configuration, whatever their identities
// say. The number of threads that run it does not count as code; a plan made by another version of a library counts as other code.
bool same_code(const CompiledKernel& left, const CompiledKernel& right);

}  // namespace fuselab::engine
