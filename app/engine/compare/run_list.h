// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/engine/subject/job_spec.h"
#include "core/store/trial_record.h"

// The stored runs that can be looked at.
namespace fuselab::engine {

struct ListedRun {
  RunRecord run;
  std::vector<std::string> subjects;  // "small_cnn batch=8", as the run measured them, in its order
  std::vector<std::string> devices;   // that have a trial of it
  std::int64_t trials = 0;

  // Returns what was measured: "small_cnn batch=8 · cpu, onednn · 273 trials".
  std::string label() const;
};

// Returns the runs of the database that have trials, newest first; none where there is no database. A job that was refused, or that
// reused everything, has nothing to look at or to compare.
Result<std::vector<ListedRun>> list_runs(const Config& config, const std::filesystem::path& database, bool include_synthetic);

}  // namespace fuselab::engine
