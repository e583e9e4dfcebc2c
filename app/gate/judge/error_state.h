// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/gate/check_report.h"

namespace fuselab::engine {

// Returns the end state of a case that could not be compared because of an error.
CaseState state_of(ErrorCode code);

}  // namespace fuselab::engine
