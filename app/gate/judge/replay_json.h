// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "app/gate/judge/historical.h"

// Converts comparisons with all their samples to JSON and back, as records keep them. Reading throws nlohmann's exceptions for
// members that are missing or of another type.
namespace fuselab::engine {

nlohmann::json record_of(const Replay& replay);
// The verdict is not read but computed again from the samples and, for a historical comparison, from those of earlier timing runs.
// Fails with kCorrupt where they give another verdict than the record.
Result<Replay> replay_from(const nlohmann::json& json, const ComparisonRule& rule, std::span<const RunSamples> past = {});

nlohmann::json record_of(const ComparisonRule& rule);
ComparisonRule rule_from(const nlohmann::json& json);

}  // namespace fuselab::engine
