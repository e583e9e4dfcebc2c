// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/kernel/compiled_kernel.h"

namespace fuselab::engine {

// Whether two kernels of one device are the very same machine code in the same configuration, whatever their identities say. How
// many threads run it is no part of the code; what a library of another version makes of the same plan is other code.
bool same_code(const CompiledKernel& left, const CompiledKernel& right);

}  // namespace fuselab::engine
