// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "core/backend/backend.h"

namespace fuselab::cpu {

// A 64-bit Arm processor with NEON, which every one of them has.
Target neon_target();

// Levels of x86-64 that this device does not run, and NEON → how far a kernel gets for them, tried by doing it: "generated,
// compiled by gcc 12.2.0; no such device here". `host` compiles for x86-64. Takes as long as one compilation for each.
std::map<std::string, std::string> foreign_targets(const DeviceInfo& device, const CodeGenerator& generator, Compiler& host);

}  // namespace fuselab::cpu
