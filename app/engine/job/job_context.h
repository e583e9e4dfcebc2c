// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "app/engine/job/event_queue.h"
#include "app/engine/job/pause_point.h"
#include "app/engine/subject/job_spec.h"
#include "app/engine/workers/worker_pool.h"
#include "core/store/result_store.h"

namespace fuselab::engine {

class EvidenceReader;
struct ProcessorCeilings;

// The services and state that every step of one job works with. Owned by the job; what it refers to outlives it.
struct JobContext {
  const Config& config;
  const JobSpec& spec;
  WorkerPool& workers;
  ResultStore& store;
  ResultQueries& queries;
  EvidenceReader& evidence;
  EventQueue& events;
  PausePoint& pause_point;
  std::stop_token stop;
  std::string run_id;
  std::string metric_key;  // what the job's tables show
  // The ceilings of the host's processor, whichever backend drives it.
  std::shared_ptr<ProcessorCeilings> host_ceilings = nullptr;
};

}  // namespace fuselab::engine
