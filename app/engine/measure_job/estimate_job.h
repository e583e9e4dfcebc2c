// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/engine/measure_job/job_rates.h"
#include "app/engine/measure_job/job_work.h"
#include "app/views/job_estimate.h"

namespace fuselab::engine {

// Returns what the job is expected to take, by the rules by which it shares its budget among its phases (JobBudget).
JobEstimate estimate_job(const JobSpec& spec, const JobWork& work, const JobRates& rates);

// Returns the estimate of a job whose tables stand as they do before it begins. `backends`: those of its devices.
JobEstimate estimate_job(const JobSpec& spec, const std::vector<CompareTable>& tables, const std::vector<DeviceInfo>& devices,
                         const std::vector<BackendReport>& backends, ResultQueries& queries);

}  // namespace fuselab::engine
