// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/stacks/installable_stacks.h"

namespace fuselab::engine {

// What lies on this machine of an installable stack.
struct StackState {
  enum class Kind { kAbsent, kOtherVersion, kInstalled, kAltered };

  const InstallableStack* stack = nullptr;  // the manifest's entry, which lives for ever
  Kind kind = Kind::kAbsent;
  std::filesystem::path folder;  // where it lies or would lie
  Bytes disk;                    // of all files that lie there, of other versions too
  std::string problem;           // what was altered, or which other version lies there
};

// How closely files are looked at: their sizes, or all their bytes as well (0.3 s for 100 MB).
enum class StackCheck { kSizes, kBytes };

// Returns the state of one stack below the user's data folder ($XDG_DATA_HOME). Changes nothing.
StackState stack_state(const std::filesystem::path& data, const InstallableStack& stack, StackCheck check);

}  // namespace fuselab::engine
