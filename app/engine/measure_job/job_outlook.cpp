// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure_job/job_outlook.h"

#include <algorithm>

namespace fuselab::engine {

void JobOutlook::enter(const std::string& phase, double spent) {
  const auto& phases = estimate_.phases;
  if (begun_ && phases[at_].phase == phase) return;
  for (std::size_t next = begun_ ? at_ + 1 : 0; next < phases.size(); ++next) {
    if (phases[next].phase != phase) continue;
    at_ = next;
    began_ = spent;
    begun_ = true;
    return;
  }
}

// Entries of one phase stand beside each other: it reports all of them as one.
std::size_t JobOutlook::end_of_phase() const {
  if (!begun_) return 0;
  std::size_t end = at_;
  while (end < estimate_.phases.size() && estimate_.phases[end].phase == estimate_.phases[at_].phase) ++end;
  return end;
}

// Tuning takes what the budget leaves, be the phases before it shorter or longer than expected.
double JobOutlook::after_phase(double spent, double here) const {
  double others = 0, beside_budget = 0;
  bool tunes = false;
  for (std::size_t next = end_of_phase(); next < estimate_.phases.size(); ++next) {
    const PhaseEstimate& phase = estimate_.phases[next];
    if (phase.phase == "tuning") {
      tunes = true;
    } else {
      (phase.phase == "measuring cold" ? beside_budget : others) += phase.seconds;
    }
  }
  const double tuning = tunes ? std::clamp(estimate_.budget_seconds - spent - here - others, 0.0, estimate_.tuning_at_most) : 0;
  return tuning + others + beside_budget;
}

double JobOutlook::left(const std::string& phase, std::optional<double> of_phase, double spent) {
  enter(phase, spent);
  double expected = 0;
  for (std::size_t part = at_; part < end_of_phase() && estimate_.phases[part].phase == phase; ++part)
    expected += estimate_.phases[part].seconds;
  const double here = of_phase.value_or(std::max(0.0, expected - (spent - began_)));
  const double left = here + after_phase(spent, here);
  done_ = std::max(done_, std::min(1.0, spent / std::max(spent + left, 1e-9)));
  return left;
}

}  // namespace fuselab::engine
