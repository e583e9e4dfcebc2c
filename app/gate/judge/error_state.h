// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/gate/check_report.h"

namespace fuselab::engine {

// How a case ends that could not be looked at, by what kept it.
CaseState state_of(ErrorCode code);

}  // namespace fuselab::engine
