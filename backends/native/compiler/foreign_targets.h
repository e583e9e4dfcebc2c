// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "core/backend/backend.h"

namespace fuselab::cpu {

// Returns the target of a 64-bit Arm processor with NEON, which every one of them has.
Target neon_target();

// Returns, for the levels of x86-64 that this device does not run and for NEON, the last step that a kernel reaches, found by
// trying it: "generated, compiled by gcc 12.2.0; no such device here". `host` compiles for x86-64. Takes as long as one compilation
// for each.
std::map<std::string, std::string> foreign_targets(const DeviceInfo& device, const CodeGenerator& generator, Compiler& host);

}  // namespace fuselab::cpu
