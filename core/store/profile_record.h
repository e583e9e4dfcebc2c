// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/fields/fields.h"

namespace fuselab {

// One collector's answer about one plan on one device. Append-only; the newest of a version counts.
struct ProfileRecord {
  std::string trial_id;  // TrialRecord::id of the trial that was profiled
  std::string piece_key;
  std::string plan_key;  // TrialRecord::plan_key: the answer holds for every trial of these kernels
  std::string device_id;
  std::string environment_key;
  std::string collector;  // "code", "counters", "sweep", "ceilings", "exact"
  std::int64_t version = 0;
  std::string body;  // its report as JSON (core/profile)
  double cost_ms = 0;
  std::int64_t created_unix_ms = 0;
};

constexpr auto fields_of(const ProfileRecord*) {
  using fields::field;
  using R = ProfileRecord;
  return fields::list<R>(field("trial_id", &R::trial_id), field("piece_key", &R::piece_key), field("plan_key", &R::plan_key),
                         field("device_id", &R::device_id), field("environment_key", &R::environment_key),
                         field("collector", &R::collector), field("version", &R::version), field("body", &R::body),
                         field("cost_ms", &R::cost_ms), field("created_unix_ms", &R::created_unix_ms));
}

}  // namespace fuselab
