// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>

#include "core/backend/backend.h"

namespace fuselab::cuda {

// Returns, for the listed architectures that none of these devices runs, the last step that a kernel reaches, found by trying it:
// "generated, compiled by nvrtc 12.9; no such device here". Empty without a compiler. Takes as long as one compilation for each.
std::map<std::string, std::string> foreign_targets(std::span<const DeviceInfo> devices, const CodeGenerator& generator,
                                                   Compiler& compiler);

}  // namespace fuselab::cuda
