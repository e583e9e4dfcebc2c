// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "app/engine/job/job_context.h"
#include "core/backend/device_info.h"
#include "core/measure/ceiling.h"
#include "core/ops/cost.h"

namespace fuselab::engine {

// The measured limits of one device: taken from the store while the environment is the same, measured and stored when a piece's
// stream mix or size class was never measured. Used by one job thread.
class Calibration {
 public:
  Calibration(JobContext& context, DeviceInfo device, std::string environment_key);

  // Makes sure that the table can judge this piece; does nothing on devices that cannot measure their limits. A job that measures
  // again replaces each limit that it needs, once.
  Status cover(const Graph& graph, const Cost& cost);
  // Measures one limit of this piece again and keeps the higher figure: asked for when a kernel beat its ceiling. Says whether it
  // did: a limit is measured again kMostRemeasurements times per job, for all kernels that beat it, since more would find nothing
  // new.
  Result<bool> measure_again(const Graph& graph, const Cost& cost, bool memory_bound);
  static constexpr int kMostRemeasurements = 3;

  // What the job's runs of a piece move among: which stream class judges them.
  Bytes working_set(const Cost& cost) const;
  // Whether a stream of that size says anything: none that is measured is larger than the caches of some machines.
  bool judges(const Cost& cost) const;

  // What this job has spent on measuring limits, without waiting for other processes: no search pays for it.
  double seconds() const { return spent_.count(); }
  const CeilingTable& table() const { return table_; }

 private:
  bool must_measure(int reads, int writes, Bytes footprint, bool known) const;
  Status measure(int reads, int writes, Bytes footprint);
  Status measure_flops();
  Status store();

  JobContext& context_;
  DeviceInfo device_;
  std::string environment_key_;
  CeilingTable table_;
  using Limit = std::tuple<int, int, std::int64_t>;  // reads, writes and footprint of a stream class; all 0: the arithmetic rate
  std::map<Limit, int> remeasurements_;
  std::set<Limit> touched_;  // measured by this job
  std::chrono::duration<double> spent_{0};
  bool unsupported_ = false;
  bool asked_for_flops_ = false;  // a backend need not know the rate of every type
};

}  // namespace fuselab::engine
