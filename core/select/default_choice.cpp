// SPDX-License-Identifier: Apache-2.0
#include "core/select/default_choice.h"

#include <algorithm>
#include <cstdio>
#include <tuple>
#include <vector>

#include "core/backend/backend_names.h"
#include "core/base/units.h"
#include "core/measure/disturbance.h"
#include "core/select/gain_verdict.h"

namespace fuselab {
namespace {

std::string plan_text(const MeasuredCandidate& candidate) {
  const std::string kind = candidate.only_plan ? "" : std::string(name_of(candidate.kind)) + " ";
  return kind + format_duration({candidate.median_ns}) + (candidate.disturbed ? kDisturbedMark : "") + " [" +
         format_duration({candidate.interval.low}) + ", " + format_duration({candidate.interval.high}) + "]";
}

std::string figure_text(const MeasuredCandidate& candidate) {
  return candidate.device_id + " " + plan_text(candidate);
}

// The user's preference, then the position in the automatic order; what is not in it comes last.
std::pair<std::size_t, std::size_t> static_rank(const MeasuredCandidate& candidate) {
  const auto order = auto_order();
  if (candidate.is_host_cpu_again) return {candidate.preference, order.size() + 1};
  return {candidate.preference, static_cast<std::size_t>(std::find(order.begin(), order.end(), candidate.backend) - order.begin())};
}

bool overlap(const MeasuredCandidate& a, const MeasuredCandidate& b) {
  return a.interval.low <= b.interval.high && b.interval.low <= a.interval.high;
}

// Compares candidates that were not timed in turns: only their own intervals are known.
std::string unpaired_text(const MeasuredCandidate& chosen, const MeasuredCandidate& other) {
  if (overlap(chosen, other)) return "; within noise of " + figure_text(other);
  char times[32];
  std::snprintf(times, sizeof(times), "; %.2fx faster than ", other.median_ns / chosen.median_ns);
  return times + figure_text(other);
}

// Tells what fusing did in processes in which both were measured, losing as plainly as winning.
std::string fusion_text(const Ratio& gain, const MeasuredCandidate& other) {
  char numbers[64];
  std::snprintf(numbers, sizeof numbers, " %.2fx [%.2f, %.2f]", gain.value, gain.interval.low, gain.interval.high);
  const std::string colon = verdict_on(gain) == GainVerdict::kGains ? "" : ":";
  const std::string seen = other.gain_processes > 1 ? " in " + std::to_string(other.gain_processes) + " processes" : "";
  const std::string deciding = deciding_words(gain, other.gain_processes);
  return "; " + gain_words(gain, other.gain_processes) + colon + numbers + seen + ", " + plan_text(other) +
         (deciding.empty() ? "" : "; " + deciding);
}

bool are_paired(const MeasuredCandidate& a, const MeasuredCandidate& b) {
  return a.kind != b.kind && a.fusion_gain && b.fusion_gain;
}

// A device with the plan that it would run.
struct Contender {
  const MeasuredCandidate* plan = nullptr;
  const MeasuredCandidate* other = nullptr;  // its other plan; null where there is only one
  bool tied = false;                         // with the other plan
};

bool same_within_noise(const MeasuredCandidate& a, const MeasuredCandidate& b) {
  return are_paired(a, b) ? !a.fusion_gain->excludes_one() : overlap(a, b);
}

// An undecided gain is no reason to fuse: the plan with the lower median is the better guess.
bool is_better_plan(const MeasuredCandidate& a, const MeasuredCandidate& b) {
  const bool a_fuses = a.kind == PlanKind::kFused;
  if (are_paired(a, b)) {
    switch (verdict_on(*a.fusion_gain)) {
      case GainVerdict::kGains:
      case GainVerdict::kSame: return a_fuses;
      case GainVerdict::kLoses: return !a_fuses;
      case GainVerdict::kUndecided: return a.median_ns < b.median_ns || (a.median_ns == b.median_ns && a_fuses);
    }
  }
  if (a.kind != b.kind && overlap(a, b)) return a_fuses;
  return a.median_ns < b.median_ns;
}

std::vector<Contender> contenders(const std::vector<const MeasuredCandidate*>& plans) {
  std::vector<Contender> devices;
  for (const MeasuredCandidate* const plan : plans) {
    const auto known = std::find_if(devices.begin(), devices.end(),
                                    [&](const Contender& device) { return device.plan->device_id == plan->device_id; });
    if (known == devices.end()) {
      devices.push_back({plan});
      continue;
    }
    known->other = plan;
    if (is_better_plan(*plan, *known->plan)) std::swap(known->plan, known->other);
    known->tied = same_within_noise(*known->plan, *known->other);
  }
  return devices;
}

std::string reason_of(const Contender& chosen, const Contender* next) {
  std::string reason = figure_text(*chosen.plan);
  if (next != nullptr) reason += unpaired_text(*chosen.plan, *next->plan);
  if (chosen.other != nullptr) {
    reason += are_paired(*chosen.plan, *chosen.other) ? fusion_text(*chosen.plan->fusion_gain, *chosen.other)
                                                      : unpaired_text(*chosen.plan, *chosen.other);
  }
  return next == nullptr && chosen.other == nullptr ? reason + "; the only one measured" : reason;
}

const MeasuredCandidate* fastest_of(const std::vector<const MeasuredCandidate*>& plans) {
  const auto fastest =
      std::min_element(plans.begin(), plans.end(), [](const auto* a, const auto* b) { return a->median_ns < b->median_ns; });
  return fastest == plans.end() ? nullptr : *fastest;
}

std::string accepted_text(const PlanDrawbacks& drawbacks) {
  const Drawbacks accepted = drawbacks.stated.without(drawbacks.withheld);
  return accepted.empty() ? "" : "; " + verbs_of(accepted) + ", which is accepted";
}

// Returns what there is to say of drawbacks besides the choice itself.
std::string drawback_text(const MeasuredCandidate& chosen, const MeasuredCandidate* withheld) {
  std::string text = accepted_text(chosen.drawbacks);
  if (withheld == nullptr || withheld->median_ns >= chosen.median_ns) return text;
  const std::string kind = withheld->only_plan ? "" : " " + std::string(name_of(withheld->kind));
  return text + withheld_text(withheld->device_id + kind, withheld->median_ns, chosen.median_ns, withheld->drawbacks.withheld);
}

}  // namespace

std::string withheld_text(const std::string& plan, double ns, double chosen_ns, Drawbacks withheld) {
  char times[48];
  std::snprintf(times, sizeof times, " would be %.2fx faster", chosen_ns / ns);
  return "; " + plan + " " + format_duration({ns}) + times + ", but " + withheld_words(withheld);
}

DefaultChoice choose_default(std::span<const MeasuredCandidate> candidates, bool include_synthetic) {
  std::vector<const MeasuredCandidate*> plans, withheld;
  for (const MeasuredCandidate& candidate : candidates) {
    const bool takes_part = candidate.median_ns > 0 && (include_synthetic || !candidate.synthetic);
    if (takes_part) (candidate.drawbacks.is_withheld() ? withheld : plans).push_back(&candidate);
  }
  const MeasuredCandidate* const fastest_withheld = fastest_of(withheld);
  if (plans.empty() && fastest_withheld != nullptr) {
    return {std::nullopt,
            figure_text(*fastest_withheld) + " " + withheld_words(fastest_withheld->drawbacks.withheld) +
                ", and nothing else was measured",
            false};
  }
  if (plans.empty()) {
    return {std::nullopt, candidates.empty() ? "nothing was measured" : "only synthetic devices were measured", false};
  }
  std::vector<Contender> devices = contenders(plans);
  const auto key = [](const Contender& device) {
    return std::tuple(device.plan->median_ns, static_rank(*device.plan), device.plan->device_id);
  };
  std::sort(devices.begin(), devices.end(), [&](const Contender& a, const Contender& b) { return key(a) < key(b); });

  // Equal within noise: the first by the static order among those that overlap the fastest.
  const MeasuredCandidate& fastest = *devices.front().plan;
  const auto preference = [&](const Contender& device) {
    const MeasuredCandidate& plan = *device.plan;
    return std::tuple(!overlap(plan, fastest), static_rank(plan), plan.kind == PlanKind::kUnfused, plan.median_ns, plan.device_id);
  };
  const auto chosen = std::min_element(devices.begin(), devices.end(),
                                       [&](const Contender& a, const Contender& b) { return preference(a) < preference(b); });
  const auto next = std::find_if(devices.begin(), devices.end(), [&](const Contender& device) { return &device != &*chosen; });
  const bool devices_tie = devices.size() > 1 && overlap(*devices[1].plan, fastest);
  return {static_cast<std::size_t>(chosen->plan - candidates.data()),
          reason_of(*chosen, next == devices.end() ? nullptr : &*next) + drawback_text(*chosen->plan, fastest_withheld),
          devices_tie || chosen->tied};
}

}  // namespace fuselab
