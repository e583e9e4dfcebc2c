// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace fuselab::platform {

// Returns a random UUID (version 4) from the kernel's generator: "3f2b8c1e-…", 36 characters. Thread-safe.
std::string make_uuid();

}  // namespace fuselab::platform
