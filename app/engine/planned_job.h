// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "app/engine/job/engine.h"
#include "app/views/job_estimate.h"

namespace fuselab::engine {

// Returns what the job would do, on which devices, and how long that takes: its subjects are read and cut, and what is stored of
// them is counted; nothing is measured. Takes up to seconds. Fails where the job would not begin: an unknown subject or device, an
// extent without a number; with kCancelled after a stop request.
Result<JobEstimate> plan_job(Engine& engine, const JobSpec& spec, std::stop_token stop = {});

}  // namespace fuselab::engine
