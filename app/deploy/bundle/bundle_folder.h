// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"

// The form of a bundle in which its parts are files of a folder: see bundle_file.h.
namespace fuselab::deploy {

using BundleFolder = std::map<std::string, std::vector<std::byte>>;  // contents by the names that a zip's entries have

// Reads all files below a folder; no link is followed.
// Fails with kCorrupt for a name that no bundle has, a link or what is no ordinary file, with kUnsupported where they have more
// than `at_most` together, and with kIo.
Result<BundleFolder> read_bundle_folder(const std::filesystem::path& folder, Bytes at_most);

// Fails with kInvalidArgument where `folder` is there and holds anything besides a bundle, or is a link.
Status check_own_folder(const std::filesystem::path& folder);

}  // namespace fuselab::deploy
