// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/kernel/compiled_kernel.h"

namespace fuselab::hip {

// Returns the folder of AMD's device library, whose functions kernels call (ocml.bc and the words that it reads, oclc_*.bc): the
// one that FUSELAB_ROCM_DEVICE_LIBRARY names, else ROCm's own, else Debian's. Fails with kUnavailable and what to install.
Result<std::filesystem::path> find_device_library();

// Returns clang's arguments that link it: nothing is left out, every bit counts. A target that the library is older than has the
// words of the newest one before it.
std::vector<std::string> device_library_arguments(const std::filesystem::path& folder, const Target& target);

}  // namespace fuselab::hip
