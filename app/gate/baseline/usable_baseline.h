// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "app/gate/baseline/baseline_file.h"
#include "app/gate/baseline/baseline_mode.h"
#include "core/gate/check_report.h"

namespace fuselab::engine {

// A baseline file, checked for use by the gate.
struct UsableBaseline {
  Baseline baseline;                         // without kernels where there is a reason
  CaseState state = CaseState::kNoBaseline;  // how a case ends where nothing of it is used
  std::string none;                          // why nothing of it is used; empty: it is used
  std::string note;                          // its age, for a file that has an expiry date: "22 days old, 68 days left"
};

// Reads a baseline file for the gate. It is not used (`none` says why), and that is no error, when the file is missing or signed by
// somebody who is not trusted; when it has expired; when it has an expiry date and was saved on a later day than this machine's
// clock shows; or when it has no expiry date and must have one (golden).
// Fails with kCorrupt, kUnsupported or kIo: see read_baseline().
Result<UsableBaseline> usable_baseline(const std::filesystem::path& file, BaselineMode mode, db::Trust& trust);

}  // namespace fuselab::engine
