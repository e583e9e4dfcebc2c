// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "app/engine/job/job_context.h"
#include "app/engine/measure/processor_ceilings.h"
#include "core/backend/device_info.h"
#include "core/cost/cost.h"
#include "core/measure/ceilings/ceiling.h"
#include "core/measure/ceilings/paired_ceiling.h"

namespace fuselab::engine {

// The measured ceilings of one device: taken from the store while the environment is the same; measured and stored when a piece's
// stream mix or size class was never measured. The devices of one processor share theirs. Used by one job thread.
class Calibration {
 public:
  Calibration(JobContext& context, DeviceInfo device, std::string environment_key);

  // Makes sure that the table can judge this piece; does nothing on devices that cannot measure their ceilings. A job that measures
  // again replaces each ceiling that it needs, once.
  Status cover(const Graph& graph, const Cost& cost);
  // Measures one ceiling of this piece again, in all its forms, and keeps the higher figure, for a kernel that beat its ceiling.
  // Returns whether it did so: each ceiling is measured again at most kMostRemeasurements times per job, over all kernels that beat
  // it, since more would find nothing new.
  Result<bool> measure_again(const Graph& graph, const Cost& cost, bool memory_bound);
  static constexpr int kMostRemeasurements = 3;
  // Raises one ceiling of this piece to what kernels showed to be possible.
  Status raise(const Graph& graph, const Cost& cost, bool memory_bound, double seconds);

  // Returns the ceiling kernels to time beside a plan of this piece that computes with so many threads (0: all): those of the
  // limits that may bound it, in the forms that were fastest. Empty where figures of this mode have no such ceiling.
  CeilingSpec beside(const Graph& graph, const Cost& cost, int threads) const;

  // Returns the bytes that the job's runs of a piece move among, which decide the stream class that judges them.
  Bytes working_set(const Cost& cost) const;
  // Returns whether a ceiling for streams of that size says anything: the largest working set measured still fits into the caches
  // of some machines.
  bool judges(const Cost& cost) const;

  // Returns the time this job has spent on measuring ceilings, without waiting for other processes. It is not charged to any
  // search.
  double seconds() const { return spent_.count(); }
  const CeilingTable& table() const { return limits_->table; }

 private:
  bool must_measure(int reads, int writes, Bytes footprint, bool known) const;
  Status measure(int reads, int writes, Bytes footprint);
  Status measure_flops();
  Status store();
  bool knows_launches() const;
  bool on_host() const { return device_.type == "cpu"; }

  JobContext& context_;
  DeviceInfo device_;
  std::string environment_key_;
  std::shared_ptr<ProcessorCeilings> limits_;
  std::vector<Ceiling> launches_;  // of a device on the host's processor: each backend has its own
  std::size_t stored_rows_ = 0;    // under this device's environment
  std::chrono::duration<double> spent_{0};
  int lost_threads_ = 0;  // how often all threads computed no faster than one
  bool unsupported_ = false;
  bool asked_for_flops_ = false;  // asked once, since a backend need not know the rate of every type
};

}  // namespace fuselab::engine
