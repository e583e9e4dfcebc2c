// SPDX-License-Identifier: Apache-2.0
#include "app/engine/planned_job.h"

#include <utility>

#include "app/engine/measure_job/estimate_job.h"
#include "app/engine/subject/subject.h"
#include "app/engine/workers/selected_devices.h"

namespace fuselab::engine {

Result<JobEstimate> plan_job(Engine& engine, const JobSpec& spec, std::stop_token stop) {
  FL_TRY(const auto backends, engine.devices(false));
  FL_TRY(const auto devices, select_devices(backends, spec.devices, engine.config().synthetic));
  CompareSpec asked;
  asked.subjects = spec.subjects.empty() ? default_subjects() : spec.subjects;
  asked.bindings = spec.bindings;
  asked.devices = spec.devices;
  asked.level = spec.level;
  asked.dtype = spec.dtype;
  asked.protocol = spec.protocol;
  asked.accepted = spec.accepted;
  asked.stop = std::move(stop);
  FL_TRY(const auto tables, engine.compare(asked));
  return estimate_job(spec, tables, devices, backends, engine.queries());
}

}  // namespace fuselab::engine
