// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/measure/conditions.h"
#include "core/measure/plan.h"

namespace fuselab {

// What in these conditions took the processor away from a block by more than can be put up with; empty: nothing did. Steal more
// than 1 % of the wall clock (and more than one tick of its counter), any throttling, more than 20 involuntary switches a second.
std::string disturbance_in(const BlockConditions& conditions);

// Adds to the reason of a timed plan that it was disturbed, after what else it may say: "disturbed while timing: …". Others and an
// empty text are left alone.
void note_disturbance(PlanResult& result, const std::string& disturbance);

}  // namespace fuselab
