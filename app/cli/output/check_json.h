// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/gate/check_report.h"

namespace fuselab::cli {

// Returns the one document of `fuselab check --json`, which resources/schema/json/gate/check.schema.json describes. `decisive` is
// the case that the exit code comes from, if any.
nlohmann::json check_json(const CheckReport& report, const CaseOutcome* decisive);

}  // namespace fuselab::cli
