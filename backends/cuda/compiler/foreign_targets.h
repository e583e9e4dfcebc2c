// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>

#include "core/backend/backend.h"

namespace fuselab::cuda {

// Listed architectures that none of these devices runs → how far a kernel gets for them, tried by doing it: "generated, compiled by
// nvrtc 12.9; no such device here". None without a compiler.
// Takes as long as one compilation for each.
std::map<std::string, std::string> foreign_targets(std::span<const DeviceInfo> devices, const CodeGenerator& generator,
                                                   Compiler& compiler);

}  // namespace fuselab::cuda
