// SPDX-License-Identifier: Apache-2.0
#include "app/gate/judge/lost_device.h"

#include <algorithm>
#include <string>

#include "app/engine/measure/process_samples.h"

namespace fuselab::engine {
namespace {

bool is_of_running(ErrorCode code) {
  return code == ErrorCode::kCrashed || code == ErrorCode::kLaunchFailed || code == ErrorCode::kTimeout;
}

// Returns why the device is gone; empty: it is found again, and opens.
std::string why_gone(WorkerPool& workers, const DeviceInfo& device, const std::stop_token& stop) {
  const auto report = workers.probe(device.backend);
  if (!report.ok()) return report.error().message;
  if (!report.value().availability.usable) return report.value().availability.reason;
  const bool found = std::ranges::any_of(report.value().devices,
                                         [&](const DeviceInfo& each) { return each.id == device.id && each.uuid == device.uuid; });
  if (!found) return "it is not found any more";
  const auto opened = workers.timer(device, stop);
  return opened.ok() ? "" : opened.error().message;
}

// Returns whether the plan runs, whatever it computes and however long it takes.
bool runs_alone(WorkerPool& workers, const ReplaySpec& spec, const Plan& plan, const std::stop_token& stop) {
  Block block;
  block.device = spec.device.id;
  block.plans = {plan};
  block.protocol = spec.protocol;
  block.protocol.samples = 1;
  block.protocol.most_samples = 0;
  const auto measured = workers.measure_fresh(spec.device, block, stop, false);
  if (!measured.ok()) return false;
  const Status timed = check_timed(measured.value().plans.front(), ComparedSide::kNeither);
  return timed.ok() || !is_of_running(timed.error().code);
}

}  // namespace

Error blamed(WorkerPool& workers, const ReplaySpec& spec, const Error& error, const std::stop_token& stop) {
  if (!is_of_running(error.code) || spec.device.type == "cpu") return error;
  const std::string gone = why_gone(workers, spec.device, stop);
  bool lost = !gone.empty();
  if (!lost && !spec.baseline.steps.empty())
    lost = !runs_alone(workers, spec, spec.baseline, stop) && !runs_alone(workers, spec, spec.candidate, stop);
  if (stop.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
  if (!lost) return error;
  const std::string how = gone.empty() ? "it runs neither kernel any more" : gone;
  return {ErrorCode::kUnavailable, spec.device.id + " is lost: " + how + "; " + error.message};
}

}  // namespace fuselab::engine
