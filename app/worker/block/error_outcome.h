// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/measure/outcome.h"

namespace fuselab::worker {

// Returns the outcome of a plan for an error while preparing or running it.
Outcome outcome_of(ErrorCode code);

}  // namespace fuselab::worker
