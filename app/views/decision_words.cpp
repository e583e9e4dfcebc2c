// SPDX-License-Identifier: Apache-2.0
#include "app/views/decision_words.h"

#include <cstdio>

#include "core/stats/comparison.h"

namespace fuselab::engine {
namespace {

// Says how many times as fast the candidate is, with its interval.
std::string speed_text(const TuningDecision& decision, const char* between) {
  char text[96];
  if (decision.low > 0 && decision.high > 0) {
    std::snprintf(text, sizeof text, "%.2fx%s [%.2f, %.2f]", 1 / decision.ratio, between, 1 / decision.high, 1 / decision.low);
  } else {
    std::snprintf(text, sizeof text, "%.2fx%s", 1 / decision.ratio, between);
  }
  return text;
}

bool is(const TuningDecision& decision, Verdict verdict) {
  return decision.verdict == name_of(verdict);
}

}  // namespace

std::string decision_text(const TuningDecision& decision) {
  if (!decision.is_known()) return {};
  const std::string stays = decision.baseline + " stays: ";
  if (decision.candidate.empty()) return stays + "nothing was faster in the confirmation";
  if (decision.verdict.empty() && decision.failed == ComparedSide::kBaseline)
    return decision.candidate + " takes the place of " + decision.baseline + ", which failed: " + decision.reason;
  if (decision.verdict.empty()) return stays + decision.candidate + " could not be compared with it: " + decision.reason;
  const std::string processes = " (" + std::to_string(decision.processes) + " processes)";
  if (is(decision, Verdict::kImproved)) {
    return decision.candidate + " is " + speed_text(decision, " faster") + " than " + decision.baseline +
           ", which the search began with" + processes;
  }
  const char* const how = is(decision, Verdict::kEquivalent)  ? " is as fast within 1%: "
                          : is(decision, Verdict::kRegressed) ? " is slower: "
                                                              : " was not shown to be faster: ";
  return stays + decision.candidate + how + speed_text(decision, "") + processes;
}

std::string decision_word(const TuningDecision& decision) {
  if (!decision.is_known()) return {};
  if (decision.candidate.empty()) return "nothing faster";
  if (decision.verdict.empty()) return "not decided";
  return is(decision, Verdict::kImproved) ? speed_text(decision, "") : decision.verdict;
}

}  // namespace fuselab::engine
