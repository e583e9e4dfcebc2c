// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/fields/fields.h"

namespace fuselab {

// One reason for a difference in time between the unfused and the fused plan.
struct SplitPart {
  std::string what;  // "memory traffic", "L2 traffic", "launches", "arithmetic repeated", "not explained"
  double amount = 0;
  std::string unit;                // "B", "launches", "ratio"
  std::optional<double> saved_ns;  // predicted; negative where fusion costs time; absent: see reason
  std::string text;                // a sentence with the figures
  std::string reason;
};

constexpr auto fields_of(const SplitPart*) {
  using fields::field;
  using P = SplitPart;
  return fields::list<P>(field("what", &P::what), field("amount", &P::amount), field("unit", &P::unit),
                         field("saved_ns", &P::saved_ns), field("text", &P::text), field("reason", &P::reason));
}

// Why fusion gains or loses what it does: predicted from traffic and launches, beside what was measured.
struct SpeedupSplit {
  std::string why_not;  // why there is no split: a single operator, or nothing measured of both plans
  double unfused_ns = 0, fused_ns = 0;
  double measured = 0, low = 0, high = 0;  // gain and its interval; 0: not measured
  int processes = 0;                       // fresh processes that the gain stands on
  double predicted = 0;                    // unfused / (unfused − all that is predicted to be saved)
  double most = 0;                         // eager over compulsory bytes: the largest gain of traffic alone
  std::vector<SplitPart> parts;
  std::string text;
};

constexpr auto fields_of(const SpeedupSplit*) {
  using fields::field;
  using S = SpeedupSplit;
  return fields::list<S>(field("why_not", &S::why_not), field("unfused_ns", &S::unfused_ns), field("fused_ns", &S::fused_ns),
                         field("measured", &S::measured), field("low", &S::low), field("high", &S::high),
                         field("processes", &S::processes), field("predicted", &S::predicted), field("most", &S::most),
                         field("parts", &S::parts), field("text", &S::text));
}

}  // namespace fuselab
