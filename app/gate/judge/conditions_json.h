// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/measure/conditions.h"

// How it was where a block was timed, as records keep it: what is unknown or nothing is left out, which is most of it most of the
// time. Reading takes what is missing for unknown, for records of an older Fuselab, and throws nlohmann's exceptions for members of
// another type.
namespace fuselab::engine {

nlohmann::json conditions_json(const BlockConditions& conditions);
BlockConditions conditions_of(const nlohmann::json& json);

}  // namespace fuselab::engine
