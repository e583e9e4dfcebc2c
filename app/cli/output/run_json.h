// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/engine/compare/runs/run_diff.h"
#include "app/engine/compare/runs/run_list.h"

namespace fuselab::cli {

// Return stored runs, the environment card of one and the comparison of two as JSON; resources/schema/json describes them.
nlohmann::json stored_run_json(const engine::ListedRun& listed);
nlohmann::json card_json(const RunCard& card);
nlohmann::json diff_json(const engine::ListedRun& before, const engine::ListedRun& after, const engine::RunDiff& diff);

}  // namespace fuselab::cli
