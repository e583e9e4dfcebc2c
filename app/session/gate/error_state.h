// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/check/check_report.h"

namespace fuselab::session {

// How a case ends that could not be looked at, by what kept it.
CaseState state_of(ErrorCode code);

}  // namespace fuselab::session
