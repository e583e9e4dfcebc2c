// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/measure/conditions.h"
#include "core/measure/plan.h"

namespace fuselab {

// Returns what disturbed a block too much, by taking the processor away from it; empty when nothing did. The limits: steal of more
// than 1 % of the wall clock (and more than one tick of its counter), more than 1 ms of throttling by a quota, more than 20
// involuntary switches a second (and more than 5 in all), or a reason of the device's own that invalidates (kInvalidating).
std::string disturbance_in(const BlockConditions& conditions);

// Does the same for a block whose plans are compared pair by pair. A median of interleaved pairs does not suffer from disturbances
// that hit some of them, both sides alike: one busy neighbour takes about half the wall clock from one of two threads, and medians
// scatter no more beside it than without (resources/docs/results/comparing.md). So such a block is discarded only when
// more than two fifths of the time of the threads that compute was stolen, and throttled or waited for (whichever of these two is
// more): four fifths of one clock with two threads, and the same with one. Steal counts in full, since an idle processor is not
// stolen from. Waiting that a kernel does not count is not included. An invalidating reason of the device's own discards the block
// here as well.
std::string disturbance_of_pairs(const BlockConditions& conditions);

// Adds to the reason of a timed or dropped plan, behind what it says already, that it was disturbed: "disturbed while timing: …".
// Other plans are left alone, as are all when the text is empty.
void note_disturbance(PlanResult& result, const std::string& disturbance);
bool says_disturbed(const PlanResult& result);  // note_disturbance() added its text

inline constexpr const char* kDisturbedMark = "~";  // beside a disturbed figure, wherever it is shown

}  // namespace fuselab
