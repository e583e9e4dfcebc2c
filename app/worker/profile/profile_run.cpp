// SPDX-License-Identifier: Apache-2.0
#include "app/worker/profile/profile_run.h"

#include <algorithm>

#include "app/worker/block/prepared_plan.h"
#include "core/backend/counter_collector.h"
#include "core/backend/kernel_facts.h"
#include "profiler/device/device_counters.h"
#include "profiler/host/counted_launches.h"
#include "profiler/host/perf_event_source.h"

namespace fuselab::worker {

Result<wire::ProfileReply> profile_plan(DeviceRuntime& runtime, ReferenceCache& references, const wire::ProfileRequest& request,
                                        platform::SharedPage& page) {
  auto* const collector = dynamic_cast<CounterCollector*>(&runtime);
  page.set(0, platform::WorkerPhase::kPrepare);
  FL_TRY(const auto shared,
         share_buffers(runtime, request.plan.graph, references.inputs_of(request.plan.graph, request.inputs), BufferCycle(1)));
  FL_TRY(const std::unique_ptr<PreparedPlan> plan, PreparedPlan::create(runtime, request.plan, *shared, request.inputs));
  page.set(0, platform::WorkerPhase::kLaunch);
  FL_TRY_VOID(plan->run_once());
  profile::PerfEventSource source;
  const profile::Launches launches = [&](int repetitions) -> Result<double> {
    page.set(0, platform::WorkerPhase::kLaunch);  // each has its own time limit
    FL_TRY(const Timing timing, plan->time(repetitions));
    return timing.duration.count;
  };
  wire::ProfileReply reply;
  if (plan->overwrites_inputs()) {
    reply.counters.why_no_hits = "the kernel overwrites an input, and putting it back would be counted with it";
    reply.counters.passed_over = {"generic: " + reply.counters.why_no_hits};
  } else if (collector != nullptr) {
    const auto before = [&] { page.set(0, platform::WorkerPhase::kLaunch); };
    FL_TRY(reply.counters, profile::count_on_device(
                               *collector, plan->one_run(), [&] { return launches(1); }, before));
  } else if (runtime.info().type == "cpu" && runtime.info().backend == "cpu") {
    FL_TRY(reply.counters, profile::count_launches(source, launches, request.seconds));
  } else {
    reply.counters.why_no_hits = "no collector reads counters of " + runtime.info().id;
    reply.counters.passed_over = {"generic: " + reply.counters.why_no_hits};
  }
  for (const Launch& launch : plan->one_run()) {
    const auto* const known = dynamic_cast<const KernelFacts*>(launch.executable);
    KernelReport& report = reply.counters.kernels.emplace_back();
    report.step = static_cast<int>(reply.counters.kernels.size()) - 1;
    if (known != nullptr) report.metrics = known->facts();
  }
  page.set(-1, platform::WorkerPhase::kIdle);
  FL_TRY_VOID(plan->release());
  return reply;
}

}  // namespace fuselab::worker
