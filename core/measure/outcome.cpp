// SPDX-License-Identifier: Apache-2.0
#include "core/measure/outcome.h"

namespace fuselab {
namespace {

struct OutcomeName {
  Outcome outcome;
  std::string_view name;
};

constexpr OutcomeName kOutcomeNames[] = {
    {Outcome::kTimed, "timed"},
    {Outcome::kMatched, "matched"},
    {Outcome::kDropped, "dropped"},
    {Outcome::kUnsupported, "unsupported"},
    {Outcome::kSkipped, "skipped"},
    {Outcome::kCompileError, "compile-error"},
    {Outcome::kLaunchError, "launch-error"},
    {Outcome::kWrongResult, "wrong-result"},
    {Outcome::kOutOfMemory, "out-of-memory"},
    {Outcome::kTimeout, "timeout"},
    {Outcome::kCrashed, "crashed"},
    {Outcome::kMistrusted, "mistrusted"},
    {Outcome::kCancelled, "cancelled"},
};

}  // namespace

std::string_view name_of(Outcome outcome) {
  for (const OutcomeName& known : kOutcomeNames) {
    if (known.outcome == outcome) return known.name;
  }
  FL_ASSERT(false);
}

Result<Outcome> parse_outcome(std::string_view name) {
  std::string names;
  for (const OutcomeName& known : kOutcomeNames) {
    if (known.name == name) return known.outcome;
    if (!names.empty()) names += ", ";
    names += known.name;
  }
  return invalid_argument("unknown outcome '" + std::string(name) + "'; known: " + names);
}

}  // namespace fuselab
