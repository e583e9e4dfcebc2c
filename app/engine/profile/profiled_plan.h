// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/engine/job/engine.h"
#include "app/engine/profile/profile_subject.h"
#include "app/engine/subject/piece.h"
#include "app/engine/workers/worker_pool.h"
#include "core/measure/ceilings/ceiling.h"
#include "core/store/gain_record.h"

namespace fuselab::engine {

// The plan that is profiled, with its kernels as they were measured.
struct ProfiledPlan {
  DeviceInfo device;
  std::string environment_key, metric_key;
  CacheMode mode = CacheMode::kWarm;  // of the trial; what is not measured is launched beside counters, warm
  CeilingTable ceilings;              // stored for this environment
  Piece piece;
  std::string model, binding, level, dtype;  // of the newest use of the piece, for a trial
  PlanKind kind = PlanKind::kFused;
  std::string config;
  std::string plan_key;
  std::vector<CompiledKernel> kernels;  // with binaries
  Plan plan;
  std::optional<TrialRecord> trial;  // nothing: the default configuration
  // The two plans of the piece where both were timed in one block, and how they compare in fresh processes.
  std::optional<TrialRecord> fused, unfused;
  std::optional<GainRecord> gain;
  std::string note;

  int threads() const;  // most of any step
};

// Finds the plan in the store, or makes the piece's default configuration where nothing is stored of it; measures nothing. Where
// only stored answers are asked for, its kernels may lack their binaries.
Result<ProfiledPlan> find_plan(Engine& engine, WorkerPool& workers, const ProfileSpec& spec, const std::stop_token& stop);

// Returns the kernels of a stored trial of the plan's piece, to be run or, `as_stored`, to be looked at.
Result<std::vector<CompiledKernel>> stored_kernels(ResultQueries& queries, WorkerPool& workers, const ProfiledPlan& plan,
                                                   const TrialRecord& trial, bool as_stored, const std::stop_token& stop);

}  // namespace fuselab::engine
