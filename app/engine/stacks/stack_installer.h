// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <stop_token>
#include <string_view>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/stacks/installable_stacks.h"

namespace fuselab::engine {

// What an installation is doing: fetching so many bytes of so many, or unpacking. Told a few times a second.
struct StackProgress {
  enum class Step { kFetching, kUnpacking } step = Step::kFetching;
  Bytes done, all;
};

// Fetches a stack's wheels with `python3 -m pip download` (no dependencies, no build, the manifest's hash required), holds their
// bytes against the manifest once more, unpacks them beside the place and renames that folder there, so that a reader finds all or
// nothing. Other versions are removed after that. What lies there already and is whole is left. Used by one thread at a time; a
// lock keeps other processes out. Fails with kUnavailable (no python3, no pip, no room), kUntrusted (other bytes than the
// manifest's), kIo, kBusy and kCancelled; what was fetched till then is removed.
Status install_stack(const std::filesystem::path& data, const InstallableStack& stack,
                     const std::function<void(const StackProgress&)>& told, const std::stop_token& stop);

// Removes all versions of a stack and returns how many bytes that gave back; 0 where there was none.
Result<Bytes> remove_stack(const std::filesystem::path& data, const InstallableStack& stack);

// Stacks that `--all` means: free ones of less than 300 MB to fetch.
bool is_meant_by_all(const InstallableStack& stack);

}  // namespace fuselab::engine
