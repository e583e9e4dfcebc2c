// SPDX-License-Identifier: Apache-2.0
#include "app/session/gate/lost_device.h"

#include <algorithm>
#include <string>

#include "app/session/gate/process_samples.h"

namespace fuselab::session {
namespace {

bool is_of_running(ErrorCode code) {
  return code == ErrorCode::kCrashed || code == ErrorCode::kLaunchFailed || code == ErrorCode::kTimeout;
}

// Empty: it is found again, and opens.
std::string why_gone(WorkerHouse& workers, const DeviceInfo& device, const std::stop_token& stop) {
  auto const report = workers.probe(device.backend);
  if (!report.ok()) return report.error().message;
  if (!report.value().availability.usable) return report.value().availability.reason;
  bool const found = std::ranges::any_of(report.value().devices,
                                         [&](const DeviceInfo& each) { return each.id == device.id && each.uuid == device.uuid; });
  if (!found) return "it is not found any more";
  auto const opened = workers.timer(device, stop);
  return opened.ok() ? "" : opened.error().message;
}

// Whatever it computes and however long it takes.
bool runs_alone(WorkerHouse& workers, const ReplaySpec& spec, const Plan& plan, const std::stop_token& stop) {
  Block block;
  block.device = spec.device.id;
  block.plans = {plan};
  block.protocol = spec.protocol;
  block.protocol.samples = 1;
  block.protocol.most_samples = 0;
  auto const measured = workers.measure_fresh(spec.device, block, stop, false);
  if (!measured.ok()) return false;
  Status const timed = check_timed(measured.value().plans.front(), ComparedSide::kNeither);
  return timed.ok() || !is_of_running(timed.error().code);
}

}  // namespace

Error blamed(WorkerHouse& workers, const ReplaySpec& spec, const Error& error, const std::stop_token& stop) {
  if (!is_of_running(error.code) || spec.device.type == "cpu") return error;
  std::string const gone = why_gone(workers, spec.device, stop);
  bool lost = !gone.empty();
  if (!lost && !spec.baseline.steps.empty())
    lost = !runs_alone(workers, spec, spec.baseline, stop) && !runs_alone(workers, spec, spec.candidate, stop);
  if (stop.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
  if (!lost) return error;
  std::string const how = gone.empty() ? "it runs neither kernel any more" : gone;
  return {ErrorCode::kUnavailable, spec.device.id + " is lost: " + how + "; " + error.message};
}

}  // namespace fuselab::session
