// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/fields/fields.h"
#include "core/profile/code_report.h"
#include "core/profile/device_timeline.h"
#include "core/profile/metric.h"
#include "core/profile/speedup_split.h"
#include "core/profile/standing.h"
#include "core/profile/verdict.h"

namespace fuselab {

// A collector's answer as it is stored: once per plan, device, environment and version of the collector.
struct CollectorNote {
  std::string collector;  // "code", "counters", "trace", "series", "samples", "sweep", "ceilings", "exact"
  int version = 1;
  bool reused = false;  // from the database
  std::int64_t created_unix_ms = 0;
  double cost_ms = 0;  // time it took when it ran
  std::string reason;  // why it said nothing; empty where it did
};

constexpr auto fields_of(const CollectorNote*) {
  using fields::field;
  using N = CollectorNote;
  return fields::list<N>(field("collector", &N::collector), field("version", &N::version), field("reused", &N::reused),
                         field("created_unix_ms", &N::created_unix_ms), field("cost_ms", &N::cost_ms), field("reason", &N::reason));
}

// Everything that is known about why one plan is as fast as it is on one device.
struct Profile {
  std::string trial_id;  // empty: nothing was stored of it, so that the default configuration was built
  std::string piece_key, piece, pattern, graph;
  std::string device_id, device, backend;
  std::string plan;  // "fused", "unfused"
  std::string config;
  std::string plan_key, environment_key, metric_key;
  double median_ns = 0, low_ns = 0, high_ns = 0;  // the stored trial's; 0: not measured
  std::string measured_by;                        // "trial", "sweep"; empty: not measured
  std::string note;                               // what a reader must know: "no trial is stored, …"
  Standing standing;
  CodeReport code;
  std::vector<KernelReport> kernels;  // of devices that are no processor
  CounterSet counters;
  DeviceTrace trace;      // of devices that are no processor
  DeviceSeries series;    // the same
  DeviceSamples samples;  // the same
  Sweep sweep;
  std::vector<Metric> exact;  // instructions of one launch, counted by a simulator on request
  SpeedupSplit split;
  BoundVerdict verdict;
  std::vector<CollectorNote> collectors;
};

constexpr auto fields_of(const Profile*) {
  using fields::field;
  using P = Profile;
  return fields::list<P>(field("trial", &P::trial_id), field("piece_key", &P::piece_key), field("piece", &P::piece),
                         field("pattern", &P::pattern), field("graph", &P::graph), field("device", &P::device_id),
                         field("device_name", &P::device), field("backend", &P::backend), field("plan", &P::plan),
                         field("config", &P::config), field("plan_key", &P::plan_key), field("environment", &P::environment_key),
                         field("metric", &P::metric_key), field("median_ns", &P::median_ns), field("low_ns", &P::low_ns),
                         field("high_ns", &P::high_ns), field("measured_by", &P::measured_by), field("note", &P::note),
                         field("standing", &P::standing), field("code", &P::code), field("kernels", &P::kernels),
                         field("counters", &P::counters), field("device_trace", &P::trace), field("device_series", &P::series),
                         field("device_samples", &P::samples), field("sweep", &P::sweep), field("exact", &P::exact),
                         field("split", &P::split), field("verdict", &P::verdict), field("collectors", &P::collectors));
}

}  // namespace fuselab
