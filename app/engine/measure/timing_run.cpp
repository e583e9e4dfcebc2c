// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure/timing_run.h"

#include <algorithm>
#include <cmath>

#include "app/engine/measure/process_samples.h"
#include "core/base/plain_text.h"

namespace fuselab::engine {
namespace {

constexpr int kSamples = 20;
constexpr std::size_t kShown = 60;  // most bytes shown of a text from outside

Block block_of(const TimingRunSpec& spec) {
  Block block;
  block.device = spec.device.id;
  block.plans = {spec.plan};
  block.protocol.samples = kSamples;
  block.protocol.most_samples = 0;
  block.protocol.budget = {spec.budget.count / spec.processes};
  return block;
}

std::string shown_word(const std::string& value) {
  return value.empty() ? "unknown" : plain_line(value.substr(0, kShown));
}

}  // namespace

Result<MeasuredTimingRun> measure_timing_run(WorkerPool& workers, const TimingRunSpec& spec, std::stop_token stop) {
  MeasuredTimingRun run;
  std::vector<ReplayedProcess>& processes = run.processes;
  const Block block = block_of(spec);
  for (int undisturbed = 0; undisturbed < spec.processes && run.fit.ok();) {
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled"};
    FL_TRY(const MeasuredBlock measured, workers.measure_fresh(spec.device, block, stop, processes.empty()));
    const PlanResult& plan = measured.plans.front();
    FL_TRY_VOID(check_timed(plan, spec.who));
    if (plan.samples.empty()) return Error{ErrorCode::kCorrupt, label_of(spec.who) + "it has no samples"};
    ReplayedProcess& process = processes.emplace_back();
    process.disturbed = impossible_in(plan.samples);
    const bool clocked = process.disturbed.empty();
    if (clocked) {
      process.grid = SampleGrid::of({plan.samples, plan.samples});
      process.samples = {{}, process.grid.rounded({plan.samples, {}}).baseline};
      process.disturbed = disturbance_of(measured);
    }
    process.spent = kept_spent(plan.timing);
    process.conditions = kept_conditions(measured.conditions);
    if (process.disturbed.empty()) ++undisturbed;
    run.fit = check_fitness(static_cast<int>(processes.size()) - undisturbed, processes.size(), process.disturbed);
  }
  return run;
}

RunSamples samples_of(const std::vector<ReplayedProcess>& processes) {
  RunSamples samples;
  for (const ReplayedProcess& process : processes) {
    if (process.disturbed.empty()) samples.push_back(process.samples.candidate);
  }
  return samples;
}

bool is_known(const EnvironmentIdentity& machine) {
  return !machine.host.empty() && !machine.device_uuid.empty();
}

std::string machine_differences(const EnvironmentIdentity& then, const EnvironmentIdentity& here) {
  std::string text;
  const auto compare = [&](const char* name, const std::string& before, const std::string& now) {
    if (before != now)
      text += (text.empty() ? "" : "; ") + std::string(name) + " " + shown_word(before) + ", here " + shown_word(now);
  };
  compare("processor", then.cpu_model, here.cpu_model);
  compare("microcode", then.microcode, here.microcode);
  compare("operating system", then.os_kernel, here.os_kernel);
  compare("clock policy", then.clock_policy, here.clock_policy);
  compare("driver", then.driver, here.driver);
  // Hashes mean nothing to readers, so the difference is named in words.
  if (then.host != here.host) text += std::string(text.empty() ? "" : "; ") + "another host";
  if (then.device_uuid != here.device_uuid) text += std::string(text.empty() ? "" : "; ") + "another device of its kind";
  return text;
}

}  // namespace fuselab::engine
