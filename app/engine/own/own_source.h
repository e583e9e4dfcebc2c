// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace fuselab::engine {

// Returns whether a path stays in a folder, as text and as a file.
bool stays_inside(const std::filesystem::path& folder, const std::filesystem::path& file);  // empty: the working folder

// Reads the sources of a kernel as one text, with #line directives. What they include in quotes is written in place, so that the
// text needs no file; files lie in `folder` or below it. Includes in angle brackets are the compiler's. Fails with kInvalidArgument
// for a file outside of the folder, naming file and line, and with kIo where one cannot be read.
Result<std::string> read_own_source(const std::filesystem::path& folder, const std::vector<std::string>& files);

// Reads a text of the folder as it is: a reference.
Result<std::string> read_own_text(const std::filesystem::path& folder, const std::string& file);

}  // namespace fuselab::engine
