// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/stacks/installable_stacks.h"
#include "core/stacks/wheel_record.h"

namespace fuselab::platform {

// Where `fuselab backends install` puts stacks: "<user's data>/fuselab/backends", of mode 0700, with "<stack>/<version>/", the
// unpacked wheels, below it. `data` is the user's data folder ($XDG_DATA_HOME).
std::filesystem::path stacks_folder(const std::filesystem::path& data);
std::filesystem::path stack_folder(const std::filesystem::path& data, const InstallableStack& stack);

// The error of a stack that was changed, with what to do.
Error untrusted_stack(const std::string& what, const InstallableStack& stack);

// Returns the files of an installed stack, from lists whose hashes are the manifest's; nothing where it is not installed.
// Fails with kUntrusted where the folder can be written by others than this user or a list is another than the manifest's, and
// with kIo where it cannot be read.
Result<std::optional<std::vector<WheelFile>>> installed_files(const std::filesystem::path& data, const InstallableStack& stack);

// Checks that an installed file is the one of the list.
// Fails with kUntrusted, naming the file, where it is another, and with kNotFound where it is gone.
Status check_installed_file(const std::filesystem::path& folder, const WheelFile& file);

// Returns the path of the shared library that the backend opens, after checking it and every one of its list beside it; nothing
// where the stack is not installed. Fails as the two above do. Reads all of them.
Result<std::optional<std::filesystem::path>> installed_library(const std::filesystem::path& data, const InstallableStack& stack);

}  // namespace fuselab::platform
