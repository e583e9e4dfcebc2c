// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/engine/compare/runs/run_list.h"

// Changes what a user says of a stored run: its name, tags, note and pin.
namespace fuselab::engine {

// What to change; what is absent stays. An empty name or note removes it.
struct RunChange {
  std::optional<std::string> name, note;
  std::vector<std::string> add_tags, remove_tags;
  std::optional<bool> pinned;
};

struct ChangedRun {
  ListedRun run;                    // as it is now
  std::vector<ListedRun> unpinned;  // runs of exactly the same models, which were their baseline before
};

// Changes the run that `run` means (find_run()), in one commit. Each set of models has one baseline: pinning a run unpins the one
// before. Fails with kInvalidArgument for a text that is too long or not plain and for a name that another run has, with
// kUnavailable where the database is open for reading only, and as opening a database for writing does: kBusy while a job runs.
Result<ChangedRun> change_run(const Config& config, const std::string& run, const RunChange& change);

}  // namespace fuselab::engine
