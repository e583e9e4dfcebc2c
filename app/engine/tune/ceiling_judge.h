// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/engine/job/job_context.h"
#include "app/engine/measure/calibration.h"
#include "app/engine/tune/device_pieces.h"

namespace fuselab::engine {

// Judges the figures of one device by its ceilings: a figure that beats them is not believed, unless others agree with it.
class CeilingJudge {
 public:
  CeilingJudge(JobContext& context, const DeviceInfo& device, Calibration& calibration)
      : context_(context), device_(device), calibration_(calibration) {}

  // Returns the ceilings to time beside the piece's plans, with as many threads as its kernel computes with.
  Result<CeilingSpec> beside(const Piece& piece, const PieceConfigs& configs);
  // Has the signature of BlockMeasurer::Judge.
  Status judge(const Plan& plan, const PairedCeiling& beside, PlanResult& result);

 private:
  // Returns whether a figure beats the ceiling of its graph: the one timed beside it and, after measuring that again, the one that
  // is stored. Where kernels of another backend are as fast, it is the ceiling that was too low: it is raised.
  Result<bool> beats_ceiling(const Plan& plan, const Cost& cost, const PairedCeiling& beside, const PlanResult& result);
  // Returns whether another backend on this processor ran the same kind of plan of this graph about as fast, in this job.
  Result<bool> others_agree(const Plan& plan, double median_ns);

  JobContext& context_;
  const DeviceInfo& device_;
  Calibration& calibration_;
};

}  // namespace fuselab::engine
