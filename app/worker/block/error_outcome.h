// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/measure/outcome.h"

namespace fuselab::worker {

// The outcome that an error during preparing or running a plan means.
Outcome outcome_of(ErrorCode code);

}  // namespace fuselab::worker
