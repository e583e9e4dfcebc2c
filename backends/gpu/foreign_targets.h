// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "core/backend/backend.h"

namespace fuselab::gpu {

// Returns, for the architectures of a backend that virtual_target() lists and none of these devices runs, the last step that a
// kernel reaches, found by trying it: "generated, compiled by nvrtc 12.9; no such device here". Empty without a compiler. Takes as
// long as one compilation for each.
std::map<std::string, std::string> foreign_targets(std::string_view backend, std::span<const DeviceInfo> devices,
                                                   const CodeGenerator& generator, Compiler& compiler);

}  // namespace fuselab::gpu
