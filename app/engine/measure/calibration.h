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

// The measured ceilings of one device: taken from the store while the environment is the same; measured and stored when a piece's
// stream mix or size class was never measured. Used by one job thread.
class Calibration {
 public:
  Calibration(JobContext& context, DeviceInfo device, std::string environment_key);

  // Makes sure that the table can judge this piece; does nothing on devices that cannot measure their ceilings. A job that measures
  // again replaces each ceiling that it needs, once.
  Status cover(const Graph& graph, const Cost& cost);
  // Measures one ceiling of this piece again and keeps the higher figure, for a kernel that beat its ceiling. Returns whether it
  // did so: each ceiling is measured again at most kMostRemeasurements times per job, over all kernels that beat it, since more
  // would find nothing new.
  Result<bool> measure_again(const Graph& graph, const Cost& cost, bool memory_bound);
  static constexpr int kMostRemeasurements = 3;

  // Returns the bytes that the job's runs of a piece move among, which decide the stream class that judges them.
  Bytes working_set(const Cost& cost) const;
  // Returns whether a ceiling for streams of that size says anything: the largest working set measured still fits into the caches
  // of some machines.
  bool judges(const Cost& cost) const;

  // Returns the time this job has spent on measuring ceilings, without waiting for other processes. It is not charged to any
  // search.
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
  bool asked_for_flops_ = false;  // asked once, since a backend need not know the rate of every type
};

}  // namespace fuselab::engine
