// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/measure/plan.h"

namespace fuselab::session {

// Whether the same kernels in the same environment would end like this again, so that a stored result makes measuring
// unnecessary. The others (a time-out, a full memory, a cancel, a worker that somebody killed) deserve another try.
bool settles(const PlanResult& result);

}  // namespace fuselab::session
