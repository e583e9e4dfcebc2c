// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace fuselab::cli {

// Whether Fuselab may put a file of the kind that begins with `start` here: nothing is here yet, or an empty file, or an earlier
// one of that kind. Makes no folder (kIo), and what Fuselab did not write it leaves alone (kInvalidArgument).
Status may_write_own(const std::filesystem::path& file, std::string_view start);

// Writes it, whole or not at all.
Status write_own(const std::filesystem::path& file, std::string_view start, const std::string& text);

}  // namespace fuselab::cli
