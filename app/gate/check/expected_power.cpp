// SPDX-License-Identifier: Apache-2.0
#include "app/gate/check/expected_power.h"

#include <cmath>

#include "app/engine/measure/paired_replay.h"
#include "app/gate/check/reference_kernel.h"
#include "core/base/formatted.h"

namespace fuselab::engine {
namespace {

constexpr Nanoseconds kPilotTime{100'000'000};  // kernel time of both sides

Result<ComparisonResult> pilot_on(WorkerPool& workers, const DeviceInfo& device, const ComparisonRule& rule,
                                  const std::stop_token& stop) {
  FL_TRY(const ReferencePlan reference, reference_plan(workers, device, stop));
  ReplaySpec pilot;
  pilot.device = device;
  pilot.baseline = pilot.candidate = reference.plan;
  pilot.baseline.label = "baseline";
  pilot.candidate.label = "candidate";
  pilot.rule = rule;
  pilot.rule.most_processes = rule.least_processes;
  pilot.rule.budget = kPilotTime;
  FL_TRY(const Replay measured, replay_in_pairs(workers, pilot, stop));
  FL_TRY_VOID(measured.fitness());
  return measured.result;
}

}  // namespace

void ExpectedPower::tell(const DeviceInfo& device, const ComparisonRule& rule, const std::stop_token& stop) {
  if (device.synthetic || !asked_.insert(device.id).second) return;
  const auto pilot = pilot_on(workers_, device, rule, stop);
  if (!pilot.ok()) return;  // the comparisons themselves will say what is wrong
  const std::string text = power_text(rule, pilot.value());
  said_.emplace_back("expected power on " + device.id, text);
  if (on_note_) on_note_(device.id + ": " + text);
}

std::string power_text(const ComparisonRule& rule, const ComparisonResult& pilot) {
  const double found = expected_detectable(rule, pilot);
  if (!std::isfinite(found)) return "what the budget finds is not known: the reference kernel was not timed";
  return formatted(
      "slowdowns from %.2g %% are expected to be found 19 times in 20, with a margin of %.3g %% and %.3g s a comparison",
      100 * found, 100 * rule.margin, rule.budget.seconds());
}

}  // namespace fuselab::engine
