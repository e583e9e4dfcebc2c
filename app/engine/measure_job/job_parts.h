// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/engine/job/job_context.h"
#include "app/engine/subject/model_names.h"
#include "app/engine/subject/piece.h"
#include "app/engine/tune/device_tuner.h"

namespace fuselab::engine {

// What a job works on: models cut into pieces, and a tuner for each device. MeasureJob::prepare() makes them.
struct JobParts {
  JobContext& context;
  std::vector<BackendReport> backends;
  std::vector<FusedModel> fused_models = {};
  ModelNames names = {};
  std::vector<std::unique_ptr<DeviceTuner>> tuners = {};

  // Returns whether the job measures a kernel that the user named; it is never chosen for anything.
  bool is_given() const;
  // Returns whether the job asks the device for the models as one graph each.
  bool takes_whole(const DeviceTuner& tuner) const;
  std::string shown_model(std::size_t index) const;
  void say(LogLine::Level level, std::string text) const;
};

std::string stored_name(const FusedModel& fused_model);

// Returns whether the error ends the job: a broken store or a cancel does. A block that failed because of the worker is a failure
// of its piece only.
bool ends_job(const Error& error);

}  // namespace fuselab::engine
