// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace fuselab::cli {

// Checks that Fuselab may write a file of the kind that begins with `start` here: the file does not exist, is empty, or is an
// earlier one of that kind. Fails with kIo where the folder does not exist (none is made), and with kInvalidArgument for a file
// that Fuselab did not write.
Status may_write_own(const std::filesystem::path& file, std::string_view start);

// Writes the file atomically, under the conditions of may_write_own().
Status write_own(const std::filesystem::path& file, std::string_view start, const std::string& text);

}  // namespace fuselab::cli
