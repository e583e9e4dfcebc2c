// SPDX-License-Identifier: Apache-2.0
#include "app/gate/check/reference_kernel.h"

#include <map>

#include "app/engine/kernels/requests.h"
#include "app/engine/measure/timing_run.h"
#include "app/engine/subject/job_spec.h"
#include "core/graph/graph_text.h"

namespace fuselab::engine {
namespace {

constexpr int kProcesses = 3;
constexpr Nanoseconds kKernelTime{60'000'000};  // for all processes: twenty samples of the shortest length fit
constexpr std::size_t kShownOfKernel = 12;

}  // namespace

Result<ReferencePlan> reference_plan(WorkerPool& workers, const DeviceInfo& device, const std::stop_token& stop) {
  FL_TRY(const Graph graph, parse_graph(kReferenceGraph));
  const std::string level = JobSpec().level;
  FL_TRY(const wire::DescribeReply described, workers.describe(describe_request(device, level, graph), stop));
  if (!described.support.yes) return Error{ErrorCode::kUnsupported, described.support.why_not};
  FL_TRY(CompiledKernel kernel, workers.compile(compile_request(device, level, graph, described.default_config), stop));
  std::string name = "softmax f32[64,1024], kernel " + kernel.kernel_id().substr(0, kShownOfKernel);
  return ReferencePlan{std::move(name), whole_graph_plan("reference", graph, std::move(kernel))};
}

Result<ReferenceTime> time_reference(WorkerPool& workers, const DeviceInfo& device, const std::stop_token& stop) {
  FL_TRY(ReferencePlan reference, reference_plan(workers, device, stop));
  TimingRunSpec run;
  run.device = device;
  run.plan = std::move(reference.plan);
  run.budget = kKernelTime;
  run.processes = kProcesses;
  FL_TRY(const MeasuredTimingRun measured, measure_timing_run(workers, run, stop));
  FL_TRY_VOID(measured.fit);
  return ReferenceTime{std::move(reference.name), level_ns(samples_of(measured.processes))};
}

std::vector<std::pair<std::string, std::string>> time_references(WorkerPool& workers, std::span<const ReplaySpec> plans,
                                                                 std::vector<CheckedCase>& cases, const std::stop_token& stop) {
  std::vector<std::pair<std::string, std::string>> untold;
  std::map<std::string, ReferenceTime> known;  // by device
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CaseOutcome& outcome = cases[i].outcome;
    if (!cases[i].first || outcome.backend == kCommandBackend || plans[i].device.synthetic) continue;  // a command has no device
    if (stop.stop_requested()) break;
    const auto [entry, is_new] = known.try_emplace(outcome.device);
    if (is_new) {
      auto timed = time_reference(workers, plans[i].device, stop);
      if (timed.ok()) entry->second = std::move(timed).value();
      if (!timed.ok() && !stop.stop_requested())
        untold.emplace_back("reference on " + outcome.device, "not timed: " + timed.error().message);
    }
    outcome.reference = entry->second.name;
    outcome.reference_ns = entry->second.ns;
  }
  return untold;
}

}  // namespace fuselab::engine
