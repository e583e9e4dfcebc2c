// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/measure/plan.h"
#include "core/store/trial_record.h"

namespace fuselab::engine {

// Returns whether the same kernels in the same environment would end like this again, so that a stored result makes measuring
// unnecessary. Other results (a time-out, a full memory, a cancel, a worker that was killed from outside) deserve another try.
bool is_final(const PlanResult& result);

// Returns the final results among everything stored for one plan, metric and environment. A time-out is tried once more: a plan
// that timed out twice and never ended otherwise is final as well, so that a kernel that hangs costs its launch time-out twice and
// not in each run.
std::vector<TrialRecord> final_of(std::vector<TrialRecord> same_plan);

}  // namespace fuselab::engine
