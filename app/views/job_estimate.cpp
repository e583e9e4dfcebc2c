// SPDX-License-Identifier: Apache-2.0
#include "app/views/job_estimate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/formatted.h"

namespace fuselab::engine {

double JobEstimate::seconds() const {
  return std::accumulate(phases.begin(), phases.end(), 0.0, [](double sum, const auto& phase) { return sum + phase.seconds; });
}

std::string about_text(double seconds) {
  const long whole = std::max(1L, std::lround(seconds));
  if (seconds < 0.95) return "less than 1 s";
  if (whole < 60) return formatted("%ld s", whole);
  if (whole < 3600) return formatted("%ld min", whole / 60) + (whole % 60 == 0 ? "" : formatted(" %ld s", whole % 60));
  return formatted("%ld h", whole / 3600) + (whole % 3600 < 60 ? "" : formatted(" %ld min", whole % 3600 / 60));
}

std::string JobEstimate::text() const {
  std::string parts;
  for (const PhaseEstimate& each : phases) {
    parts += parts.empty() ? ": " : ", ";
    parts += each.name + " " + about_text(each.seconds);
  }
  return "about " + about_text(seconds()) + parts;
}

}  // namespace fuselab::engine
