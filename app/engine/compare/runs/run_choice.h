// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/engine/compare/runs/run_list.h"
#include "core/store/result_store.h"

// Which run is meant, and which two runs are compared where the user says nothing. All lists are newest first.
namespace fuselab::engine {

inline constexpr const char* kLatestRun = "latest";  // names the newest run that lists show; no run may be given this name

// Returns the place of the run that `text` means: "latest", an id, a name, or the beginning of an id. Fails with kNotFound, and
// with kInvalidArgument where several runs have that name or beginning.
Result<std::size_t> find_run(const std::vector<ListedRun>& runs, const std::string& text);

// Returns the id of that run in the database of the configuration; an empty text stays so. `catalog` knows whole ids: nothing is
// counted for these. Fails as find_run() and list_runs() do.
Result<std::string> run_id_of(const Config& config, const Catalog& catalog, const std::string& text);

bool share_a_subject(const ListedRun& a, const ListedRun& b);

// Returns the run that run `after` is compared with: the pinned baseline of the same models, else of one of them; else the newest
// earlier run of the same command, of the same models, of one of them, or the one before. Nothing for the oldest run without a
// baseline.
std::optional<std::size_t> usual_before(const std::vector<ListedRun>& runs, std::size_t after);

// Returns the newest run that has anything in common with its usual_before(), or the newest one where none has.
std::size_t usual_after(const std::vector<ListedRun>& runs);

}  // namespace fuselab::engine
