// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/fields/fields.h"

namespace fuselab {

// What a kernel's time is spent waiting for. kUnclear: no rule explains most of it.
// kShared, kTensor, kIssue and kOccupancy are of GPUs: shared memory, matrix units, schedulers' slots, warps in flight.
enum class Bound { kMemory, kCache, kPorts, kLatency, kLaunch, kThreads, kSpills, kShared, kTensor, kIssue, kOccupancy, kUnclear };
inline constexpr Bound kBounds[] = {Bound::kMemory, Bound::kCache,   Bound::kPorts,     Bound::kLatency,
                                    Bound::kLaunch, Bound::kThreads, Bound::kSpills,    Bound::kShared,
                                    Bound::kTensor, Bound::kIssue,   Bound::kOccupancy, Bound::kUnclear};
// "memory", "cache", "ports", "latency", "launch", "threads", "spills", "shared", "tensor", "issue", "occupancy", "unclear"
std::string_view name_of(Bound bound);
Result<Bound> parse_bound(std::string_view name);

// kSure: two independent kinds of evidence agree. kLikely: one kind. kWeak: it explains less than most of the time.
enum class Certainty { kSure, kLikely, kWeak };
std::string_view name_of(Certainty certainty);  // "sure", "likely", "weak"
Result<Certainty> parse_certainty(std::string_view name);

// One rule's answer.
struct Finding {
  Bound bound = Bound::kUnclear;
  std::string where;                  // "L2", "Zn3FP2", "registers": which one of its kind; may be empty
  double share = 0;                   // of the measured time that it explains, 0 … 1
  std::vector<std::string> evidence;  // sentences with the figures they rest on
  // Kinds of evidence: "roofline", "sweep", "code", "counters", "stalls", "compiler", "model of the processor".
  std::vector<std::string> rests_on;
};

constexpr auto fields_of(const Finding*) {
  using fields::field;
  return fields::list<Finding>(field("bound", &Finding::bound, parse_bound), field("where", &Finding::where),
                               field("share", &Finding::share), field("evidence", &Finding::evidence),
                               field("rests_on", &Finding::rests_on));
}

struct BoundVerdict {
  Bound bound = Bound::kUnclear;
  std::string where;
  Certainty certainty = Certainty::kWeak;
  std::string text;                  // the paragraph
  std::vector<Finding> findings;     // of all rules that had something to say, the first is the verdict's
  std::vector<std::string> look_at;  // what to try, each with its reason
};

constexpr auto fields_of(const BoundVerdict*) {
  using fields::field;
  return fields::list<BoundVerdict>(field("bound", &BoundVerdict::bound, parse_bound), field("where", &BoundVerdict::where),
                                    field("certainty", &BoundVerdict::certainty, parse_certainty),
                                    field("text", &BoundVerdict::text), field("findings", &BoundVerdict::findings),
                                    field("look_at", &BoundVerdict::look_at));
}

}  // namespace fuselab
