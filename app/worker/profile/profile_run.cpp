// SPDX-License-Identifier: Apache-2.0
#include "app/worker/profile/profile_run.h"

#include <algorithm>

#include "app/worker/block/prepared_plan.h"
#include "core/backend/counter_collector.h"
#include "core/backend/device_tracer.h"
#include "core/backend/kernel_facts.h"
#include "profiler/device/device_counters.h"
#include "profiler/host/counted_launches.h"
#include "profiler/host/perf_event_source.h"

namespace fuselab::worker {

namespace {

constexpr int kTracedRuns = 3;

Result<CounterSet> counted(DeviceRuntime& runtime, PreparedPlan& plan, const profile::Launches& launches,
                           platform::SharedPage& page, double seconds) {
  auto* const collector = dynamic_cast<CounterCollector*>(&runtime);
  profile::PerfEventSource source;
  CounterSet counters;
  if (plan.overwrites_inputs()) {
    counters.why_no_hits = "the kernel overwrites an input, and putting it back would be counted with it";
    counters.passed_over = {"generic: " + counters.why_no_hits};
  } else if (collector != nullptr) {
    const auto before = [&] { page.set(0, platform::WorkerPhase::kLaunch); };
    FL_TRY(counters, profile::count_on_device(
                         *collector, plan.one_run(), [&] { return launches(1); }, before));
  } else if (runtime.info().type == "cpu" && runtime.info().backend == "cpu") {
    FL_TRY(counters, profile::count_launches(source, launches, seconds));
  } else {
    counters.why_no_hits = "no collector reads counters of " + runtime.info().id;
    counters.passed_over = {"generic: " + counters.why_no_hits};
  }
  for (const Launch& launch : plan.one_run()) {
    const auto* const known = dynamic_cast<const KernelFacts*>(launch.executable);
    KernelReport& report = counters.kernels.emplace_back();
    report.step = static_cast<int>(counters.kernels.size()) - 1;
    if (known != nullptr) report.metrics = known->facts();
  }
  return counters;
}

// What cannot be recorded is a reason; only a launch that fails without a profiler is an error.
template <typename Recorded>
void keep(Result<Recorded> recorded, Recorded& kept) {
  if (recorded.ok())
    kept = std::move(recorded).value();
  else
    kept.why_not = recorded.error().message;
}

Status record(DeviceRuntime& runtime, const PreparedPlan& plan, const profile::Launches& launches, wire::ProfilePart part,
              wire::ProfileReply& reply) {
  auto* const tracer = dynamic_cast<DeviceTracer*>(&runtime);
  const std::string refused = tracer == nullptr ? "no profiler records " + runtime.info().id + " over time"
                              : plan.overwrites_inputs()
                                  ? "the kernel overwrites an input, and putting it back would be recorded with it"
                                  : "";
  const bool is_refused = !refused.empty();
  FL_TRY(const double plain_ns, is_refused ? Result<double>(0.0) : launches(1));
  if (part == wire::ProfilePart::kTrace) {
    keep(is_refused ? Error{ErrorCode::kUnavailable, refused} : tracer->trace(plan.one_run(), kTracedRuns), reply.trace);
    reply.trace.plain_ns = plain_ns;
  } else if (part == wire::ProfilePart::kSeries) {
    keep(is_refused ? Error{ErrorCode::kUnavailable, refused} : tracer->sample_counters(plan.one_run(), plain_ns), reply.series);
  } else {
    std::vector<SampledCode> code;
    for (const PlanStep& step : plan.plan().steps) code.push_back({step.kernel.binary.data, step.kernel.abi.entry});
    keep(is_refused ? Error{ErrorCode::kUnavailable, refused} : tracer->sample_code(plan.one_run(), code), reply.samples);
  }
  return {};
}

}  // namespace

Result<wire::ProfileReply> profile_plan(DeviceRuntime& runtime, ReferenceCache& references, const wire::ProfileRequest& request,
                                        platform::SharedPage& page) {
  page.set(0, platform::WorkerPhase::kPrepare);
  FL_TRY(const auto shared,
         share_buffers(runtime, request.plan.graph, references.inputs_of(request.plan.graph, request.inputs), BufferCycle(1)));
  FL_TRY(const std::unique_ptr<PreparedPlan> plan, PreparedPlan::create(runtime, request.plan, *shared, request.inputs));
  page.set(0, platform::WorkerPhase::kLaunch);
  FL_TRY_VOID(plan->run_once());
  const profile::Launches launches = [&](int repetitions) -> Result<double> {
    page.set(0, platform::WorkerPhase::kLaunch);  // each has its own time limit
    FL_TRY(const Timing timing, plan->time(repetitions));
    return timing.duration.count;
  };
  wire::ProfileReply reply;
  if (request.part == wire::ProfilePart::kCounters) {
    FL_TRY(reply.counters, counted(runtime, *plan, launches, page, request.seconds));
  } else {
    FL_TRY_VOID(record(runtime, *plan, launches, request.part, reply));
  }
  page.set(-1, platform::WorkerPhase::kIdle);
  FL_TRY_VOID(plan->release());
  return reply;
}

}  // namespace fuselab::worker
