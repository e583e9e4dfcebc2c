// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "app/gate/judge/historical.h"

// Comparisons with all their samples, as records keep them. Reading throws nlohmann's exceptions for members that are missing or of
// another type.
namespace fuselab::engine {

nlohmann::json record_of(const Replay& replay);
// The verdict is not read but had again from the samples, and from those of earlier sessions where it is a historical one;
// kCorrupt where they say something else than the record.
Result<Replay> replay_from(const nlohmann::json& json, const ComparisonRule& rule, std::span<const SessionSamples> past = {});

nlohmann::json record_of(const ComparisonRule& rule);
ComparisonRule rule_from(const nlohmann::json& json);

}  // namespace fuselab::engine
