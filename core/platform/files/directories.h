// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/base/result.h"

namespace fuselab::platform {

// The XDG base directories of this user, without the folder of Fuselab. Relative values are ignored, as the standard says.
struct BaseDirectories {
  std::filesystem::path data;     // $XDG_DATA_HOME, ~/.local/share
  std::filesystem::path config;   // $XDG_CONFIG_HOME, ~/.config
  std::filesystem::path cache;    // $XDG_CACHE_HOME, ~/.cache
  std::filesystem::path runtime;  // $XDG_RUNTIME_DIR, else <temporary folder>/fuselab-<uid>
};
// Reads the environment. Only the code that makes a configuration of it should call this.
BaseDirectories base_directories();

// Returns the folder of locks on devices: the same for every user and process of the machine, whatever their environments say.
std::filesystem::path device_lock_directory();

// Checks that files can be made in `folder`, which may not exist yet. Changes nothing.
// Fails with kIo, naming what refuses.
Status check_writable(const std::filesystem::path& folder);

}  // namespace fuselab::platform
