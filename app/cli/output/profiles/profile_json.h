// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "app/views/profile_view.h"

namespace fuselab::cli {

// Returns the document of `fuselab profile --json` ("fuselab.profile/1"): one profile, or the two that are compared.
nlohmann::json profile_json(const std::vector<engine::ProfileView>& views);

// Returns its JSON Schema, which resources/schema/json/profile.schema.json is held against.
nlohmann::json profile_schema();

}  // namespace fuselab::cli
