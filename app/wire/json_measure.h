// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "core/measure/ceilings/ceiling.h"
#include "core/measure/conditions.h"
#include "core/measure/plan.h"

// Conversions of the values for measuring; see json_kernel.h.
namespace fuselab {

void to_json(nlohmann::json& json, const InputSpec& inputs);
void from_json(const nlohmann::json& json, InputSpec& inputs);
void to_json(nlohmann::json& json, const EnvironmentIdentity& environment);
void from_json(const nlohmann::json& json, EnvironmentIdentity& environment);
void to_json(nlohmann::json& json, const Protocol& protocol);
void from_json(const nlohmann::json& json, Protocol& protocol);
void to_json(nlohmann::json& json, const PlanStep& step);
void from_json(const nlohmann::json& json, PlanStep& step);
void to_json(nlohmann::json& json, const Plan& plan);
void from_json(const nlohmann::json& json, Plan& plan);
void to_json(nlohmann::json& json, const PlanResult& result);
void from_json(const nlohmann::json& json, PlanResult& result);
void to_json(nlohmann::json& json, const TimerCost& timer);
void from_json(const nlohmann::json& json, TimerCost& timer);
void to_json(nlohmann::json& json, const BlockConditions& conditions);
void from_json(const nlohmann::json& json, BlockConditions& conditions);
void to_json(nlohmann::json& json, const Block& block);
void from_json(const nlohmann::json& json, Block& block);
void to_json(nlohmann::json& json, const Ceiling& ceiling);
void from_json(const nlohmann::json& json, Ceiling& ceiling);

}  // namespace fuselab
