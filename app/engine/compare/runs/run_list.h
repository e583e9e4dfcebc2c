// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/engine/subject/job_spec.h"
#include "core/store/run_card.h"
#include "core/store/trial_record.h"

namespace fuselab::db {
class Database;
}

// The stored runs that can be looked at.
namespace fuselab::engine {

struct ListedRun {
  RunRecord run;
  std::vector<std::string> subjects;  // "small_cnn batch=8", as the run measured them, in its order
  std::vector<std::string> devices;   // that have a trial of it
  std::int64_t trials = 0;
  bool hidden = false;  // all its trials are of scripted latencies, and the user did not ask for these

  // Returns what was measured: "small_cnn batch=8 · cpu, onednn · 273 trials".
  std::string label() const;
  // Returns the name that its user gave it, else label().
  std::string name() const;
  // Returns what the run is called where it stands alone, in local time: "nightly · small_cnn batch=8 · cpu, onednn · 273 trials ·
  // 2026-03-01 17:04". The name is left out where it has none.
  std::string called() const;
};

// A process that was killed cannot say so: its run stays "running" in the database. These runs, newest first, become "interrupted",
// except the newest while `written`: one process writes a database at a time, and its run is the newest.
void mark_interrupted(std::vector<RunRecord>& newest_first, bool written);
// Returns whether a process writes the database now. A database that is not there yet cannot be looked at, and counts as written.
bool is_written(const std::filesystem::path& database);

// Returns the runs of the database that have trials, newest first; none where there is no database. A job that was refused, or that
// reused everything, has nothing to look at or to compare. Runs of scripted devices alone are left out unless `include_synthetic`.
Result<std::vector<ListedRun>> list_runs(const Config& config, const std::filesystem::path& database, bool include_synthetic);
// The same of an open database. `written`: by another process, see mark_interrupted().
Result<std::vector<ListedRun>> runs_in(db::Database& opened, const Config& config, bool include_synthetic, bool written);

// Returns where, with what and how quietly a run was measured. Fails as opening the database does, and with kNotFound for a run
// that is not stored.
Result<RunCard> run_card(const Config& config, const std::filesystem::path& database, const std::string& run_id);

}  // namespace fuselab::engine
