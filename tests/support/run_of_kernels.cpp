// SPDX-License-Identifier: Apache-2.0
#include "tests/support/run_of_kernels.h"

#include "tests/support/synthetic_trials.h"

namespace fuselab::testing {

StoreBatch run_of_kernels(const std::string& run_id, const std::vector<RunKernel>& kernels, const std::string& host) {
  SyntheticTrials spec;
  spec.devices = 2;
  spec.pieces = 12;
  spec.synthetic_share = 0;
  spec.timed_share = 1;
  StoreBatch batch = synthetic_basis(spec);
  batch.runs.front().id = run_id;
  for (EnvironmentIdentity& environment : batch.environments) {
    if (!host.empty()) environment.host = host;
  }
  batch.metrics.push_back(batch.metrics.front());
  batch.metrics.back().detail = "samples=7";
  int number = 0;
  for (const RunKernel& kernel : kernels) {
    TrialRecord trial = synthetic_trial(spec, kernel.piece);
    trial.id = run_id + "-" + std::to_string(number++);
    trial.run_id = run_id;
    trial.piece_key = batch.pieces[static_cast<std::size_t>(kernel.piece)].key;
    const auto device = static_cast<std::size_t>(kernel.device);
    trial.device_id = batch.devices[device].id;
    trial.kind = PlanKind::kFused;
    trial.block_id = trial.id;
    trial.config = "plan=" + kernel.plan;
    trial.kernel_keys = {kernel.plan};
    trial.plan_key = plan_key_of(trial.kernel_keys);
    trial.metric_key = batch.metrics[kernel.search ? 2 : kernel.cold ? 1 : 0].key().hex();
    trial.environment_key = batch.environments[device].key().hex();
    trial.synthetic = false;
    trial.retimed = kernel.retimed;
    set_median(trial, kernel.median_ns);
    batch.trials.push_back(std::move(trial));
  }
  return batch;
}

std::vector<RunKernel> unchanged_kernels(double drift, int device) {
  std::vector<RunKernel> kernels;
  for (int piece = 0; piece < 8; ++piece) {
    const double scatter = drift > 1 ? 0.002 * (piece % 3) : 0.002 * (piece % 2);
    kernels.push_back({piece, "plan" + std::to_string(piece), 1000 * drift * (1 + scatter), false, device});
  }
  return kernels;
}

}  // namespace fuselab::testing
