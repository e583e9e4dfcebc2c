// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "app/gate/baseline/baseline_file.h"
#include "app/gate/baseline/baseline_mode.h"

namespace fuselab::engine {

// A baseline's file as the gate may use it.
struct UsableBaseline {
  Baseline baseline;  // without kernels where there is a reason
  std::string none;   // why nothing of it is used; empty: it is
  std::string note;   // its age, where it ends one day: "22 days old, 68 days left"
};

// A file that is missing, a stranger's, over, saved on a day ahead of this machine's clock where it has an end, or of no end where
// it must have one (golden) is no error but no baseline. kCorrupt, kUnsupported, kIo: see read_baseline().
Result<UsableBaseline> usable_baseline(const std::filesystem::path& file, BaselineMode mode, db::Trust& trust);

}  // namespace fuselab::engine
