// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "core/base/result.h"
#include "core/stacks/installable_stacks.h"

namespace fuselab::platform {

// Returns the folder of an installed stack, after checking every file in it; nothing where it is not installed. For programs that
// load whatever lies there, as Python does.
// A file is read where its size, inode, time of change or time of content differs from what was noted when it was last found right.
// The notes lie beside the stack, in a folder that this user alone may write. So this finds what others, damage and mistakes
// changed. It does not find what this user changes together with the notes; `fuselab doctor` reads everything.
// Fails with kUntrusted, naming the file, where one was changed or is in no list of the wheels, and with kNotFound where one is
// gone.
Result<std::optional<std::filesystem::path>> checked_stack(const std::filesystem::path& data, const InstallableStack& stack);

// Returns the file of the notes.
std::filesystem::path stack_notes(const std::filesystem::path& data, const InstallableStack& stack);

}  // namespace fuselab::platform
