// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/base/result.h"

namespace fuselab::platform {

// The XDG base directories of this user, without our own folder's name. Relative values are ignored, as the standard says.
struct BaseDirectories {
  std::filesystem::path data;     // $XDG_DATA_HOME, ~/.local/share
  std::filesystem::path config;   // $XDG_CONFIG_HOME, ~/.config
  std::filesystem::path cache;    // $XDG_CACHE_HOME, ~/.cache
  std::filesystem::path runtime;  // $XDG_RUNTIME_DIR, else <temporary folder>/fuselab-<uid>
};
// Reads the environment; for the one place that makes a configuration of it.
BaseDirectories base_directories();

// Where locks on devices lie: the same folder for every user and process of the machine, whatever their environments say.
std::filesystem::path device_lock_directory();

// Whether files can be made in `folder`, which may have yet to be made itself; changes nothing. kIo names what refuses.
Status check_writable(const std::filesystem::path& folder);

}  // namespace fuselab::platform
