// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/result_store.h"
#include "db/connection/connection.h"

namespace fuselab::db {

// Implements ResultQueries::evidence(): returns the timed trials of the best block for a piece on a device, fastest first.
Result<std::vector<TrialRecord>> read_evidence(Connection& connection, const EvidenceKey& key,
                                               const std::vector<std::string>& stale_plans, const std::string& run_id);

}  // namespace fuselab::db
