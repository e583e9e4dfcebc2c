// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/measure/conditions.h"

// Converts the conditions in which a block was timed to JSON and back, as records keep them. Values that are unknown or zero are
// left out, which is most of them most of the time. Reading takes a missing value as unknown, for records of an older Fuselab, and
// throws nlohmann's exceptions for members of another type.
namespace fuselab::engine {

nlohmann::json conditions_json(const BlockConditions& conditions);
BlockConditions conditions_of(const nlohmann::json& json);

}  // namespace fuselab::engine
