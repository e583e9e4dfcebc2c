// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "core/base/result.h"
#include "core/kernel/compiled_kernel.h"

namespace fuselab {

// Returns the resources of a kernel of the binary, by its entry.
using ResourcesOf = std::function<Result<ResourceUsage>(const std::string& entry)>;

// Writes into a GPU binary's metadata what its kernels take ("resource.registers") and the occupancy that this allows. Of the
// kernels that follow the first, what they spill adds to the whole, and of the rest the most counts.
// Fails with kUnsupported and the reason for a kernel that would not launch.
Status note_launch(const SourceModule& source, const Target& target, const ResourcesOf& resources_of, KernelBinary& binary);

}  // namespace fuselab
