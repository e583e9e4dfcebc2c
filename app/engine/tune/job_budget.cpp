// SPDX-License-Identifier: Apache-2.0
#include "app/engine/tune/job_budget.h"

#include <algorithm>
#include <cmath>

namespace fuselab::engine {
namespace {

constexpr double kShareOfWholeModels = 0.25, kShareOfOtherDevices = 0.4;  // of the budget, from the job's begin on
constexpr double kUsualFirstFigures = 0.5;                                // in seconds, where none were measured
constexpr double kConfirmationsPerFirst = 1.5;                            // a confirmation takes more samples, in a new process
constexpr double kComparisonsPerFirst = 5;                                // the least number of processes of a comparison
constexpr double kLeastComparison = 0.05, kMostComparison = 4;            // in seconds

}  // namespace

void JobBudget::note_first_figures(double seconds) {
  noted_seconds_ += seconds;
  ++noted_;
}

double JobBudget::first_figures_seconds() const {
  return noted_ == 0 ? kUsualFirstFigures : noted_seconds_ / noted_;
}

double JobBudget::for_other_devices() const {
  return kShareOfOtherDevices * seconds_ - spent_();
}

double JobBudget::for_whole_models() const {
  return kShareOfWholeModels * seconds_ - spent_();
}

double JobBudget::to_confirm(int plans) const {
  return plans * kConfirmationsPerFirst * first_figures_seconds();
}

double JobBudget::to_compare(int pairs) const {
  return pairs * std::clamp(kComparisonsPerFirst * first_figures_seconds(), kLeastComparison, kMostComparison);
}

double JobBudget::for_tuning(int confirmations, int comparisons) const {
  return std::max(0.0, left() - to_confirm(confirmations) - to_compare(comparisons));
}

}  // namespace fuselab::engine
