// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/base/result.h"

namespace fuselab::engine {

// Writes a commented file for a kernel of the user's own, and the kernel beside it: an example that runs as it is.
// Fails with kInvalidArgument where one of the two files is there already, or the name does not end in .toml, and with kIo.
Result<std::filesystem::path> write_own_template(const std::filesystem::path& file);  // returns the kernel's file

}  // namespace fuselab::engine
