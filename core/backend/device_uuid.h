// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace fuselab {

// Formats a GPU's UUID as "GPU-3f2b8c1e-…", whichever driver gave its bytes: DeviceInfo's property "uuid".
std::string device_uuid_text(std::span<const std::byte, 16> bytes);

}  // namespace fuselab
