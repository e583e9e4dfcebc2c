// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/measure/conditions.h"
#include "core/measure/plan.h"

namespace fuselab {

// What in these conditions took the processor away from a block by more than can be put up with; empty: nothing did. Steal more
// than 1 % of the wall clock (and more than one tick of its counter), any throttling by a quota, more than 20 involuntary switches
// a second, or a reason of the device's own that invalidates (kInvalidating).
std::string disturbance_in(const BlockConditions& conditions);

// The same of a block whose plans are held against each other pair by pair: a median of interleaved pairs loses nothing to what
// hits some of them, both sides alike. One neighbour that never rests takes about half the wall clock from one of two threads, and
// medians scatter no more beside it than without (resources/docs/comparing.md has the measurements); so it takes more than two
// fifths of the time of the threads that compute, stolen and throttled or waited for (whichever of these two is more), before such
// a block is not worth keeping: four fifths of one clock with two of them, and with one. Steal is held against them whole, since
// a processor that does nothing is stolen from no one. Waiting that a kernel does not count is not held against it. A device's own
// reason that invalidates does here as well.
std::string disturbance_of_pairs(const BlockConditions& conditions);

// Adds to the reason of a timed plan that it was disturbed, after what else it may say: "disturbed while timing: …". Others and an
// empty text are left alone.
void note_disturbance(PlanResult& result, const std::string& disturbance);
bool says_disturbed(const PlanResult& result);  // whether that was added

}  // namespace fuselab
