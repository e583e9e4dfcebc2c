// SPDX-License-Identifier: Apache-2.0
#include "core/select/default_choice.h"

#include <algorithm>
#include <cstdio>
#include <tuple>
#include <vector>

#include "core/backend/backend_names.h"
#include "core/base/units.h"

namespace fuselab {
namespace {

std::string figure_text(const MeasuredCandidate& candidate) {
  std::string const kind = candidate.only_plan ? "" : std::string(name_of(candidate.kind)) + " ";
  return candidate.device_id + " " + kind + format_duration({candidate.median_ns}) + " [" +
         format_duration({candidate.interval.low}) + ", " + format_duration({candidate.interval.high}) + "]";
}

// Position in the automatic order; what is not in it comes last.
std::size_t static_rank(const MeasuredCandidate& candidate) {
  auto const order = auto_order();
  return static_cast<std::size_t>(std::find(order.begin(), order.end(), candidate.backend) - order.begin());
}

bool overlap(const MeasuredCandidate& a, const MeasuredCandidate& b) {
  return a.interval.low <= b.interval.high && b.interval.low <= a.interval.high;
}

std::string times_faster(const MeasuredCandidate& best, const MeasuredCandidate& other) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2fx", other.median_ns / best.median_ns);
  return text;
}

}  // namespace

DefaultChoice choose_default(std::span<const MeasuredCandidate> candidates, bool include_synthetic) {
  std::vector<std::size_t> ranked;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].median_ns > 0 && (include_synthetic || !candidates[i].synthetic)) ranked.push_back(i);
  }
  if (ranked.empty()) {
    return {std::nullopt, candidates.empty() ? "nothing was measured" : "only synthetic devices were measured", false};
  }
  auto const key = [&](std::size_t i) {
    auto const& candidate = candidates[i];
    return std::tuple(candidate.median_ns, static_rank(candidate), candidate.kind == PlanKind::kUnfused, candidate.device_id);
  };
  std::sort(ranked.begin(), ranked.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  auto const& fastest = candidates[ranked[0]];

  // Equal within noise: the first by the static order among those that overlap the fastest.
  auto const preference = [&](std::size_t i) {
    auto const& candidate = candidates[i];
    return std::tuple(static_rank(candidate), candidate.kind == PlanKind::kUnfused, candidate.median_ns, candidate.device_id);
  };
  std::size_t chosen = ranked[0];
  bool within_noise = false;
  for (std::size_t const i : ranked) {
    if (i == ranked[0] || !overlap(candidates[i], fastest)) continue;
    within_noise = true;
    if (preference(i) < preference(chosen)) chosen = i;
  }

  DefaultChoice choice{chosen, figure_text(candidates[chosen]), within_noise};
  auto const next = std::find_if(ranked.begin(), ranked.end(), [&](std::size_t i) { return i != chosen; });
  if (next == ranked.end()) {
    choice.reason += "; the only one measured";
  } else if (overlap(candidates[chosen], candidates[*next])) {
    choice.reason += "; within noise of " + figure_text(candidates[*next]);
  } else {
    choice.reason += "; " + times_faster(candidates[chosen], candidates[*next]) + " faster than " + figure_text(candidates[*next]);
  }
  return choice;
}

}  // namespace fuselab
