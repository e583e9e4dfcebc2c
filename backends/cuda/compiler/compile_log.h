// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/kernel/compiled_kernel.h"

namespace fuselab::cuda {

// Returns what `--ptxas-options=-v` reported about one kernel: registers, shared_bytes (static), stack_bytes, spill_bytes (stored)
// and spill_load_bytes. Unreported values are absent.
ResourceUsage resources_in_log(std::string_view log, std::string_view kernel);

}  // namespace fuselab::cuda
