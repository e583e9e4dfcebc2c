// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/profile/code_report.h"
#include "core/profile/verdict.h"

namespace fuselab {

std::string_view name_of(Bound bound) {
  switch (bound) {
    case Bound::kMemory: return "memory";
    case Bound::kCache: return "cache";
    case Bound::kPorts: return "ports";
    case Bound::kLatency: return "latency";
    case Bound::kLaunch: return "launch";
    case Bound::kThreads: return "threads";
    case Bound::kSpills: return "spills";
    case Bound::kShared: return "shared";
    case Bound::kTensor: return "tensor";
    case Bound::kIssue: return "issue";
    case Bound::kOccupancy: return "occupancy";
    case Bound::kUnclear: return "unclear";
  }
  FL_ASSERT(false);
}

Result<Bound> parse_bound(std::string_view name) {
  for (const Bound bound : kBounds) {
    if (name_of(bound) == name) return bound;
  }
  return invalid_argument("'" + std::string(name) + "' is no bound");
}

std::string_view name_of(Certainty certainty) {
  switch (certainty) {
    case Certainty::kSure: return "sure";
    case Certainty::kLikely: return "likely";
    case Certainty::kWeak: return "weak";
  }
  FL_ASSERT(false);
}

Result<Certainty> parse_certainty(std::string_view name) {
  for (const Certainty certainty : {Certainty::kSure, Certainty::kLikely, Certainty::kWeak}) {
    if (name_of(certainty) == name) return certainty;
  }
  return invalid_argument("'" + std::string(name) + "' is no certainty");
}

const CodeLine* CodeReport::find(int step, std::string_view function, std::int64_t address) const {
  const auto found = std::ranges::find_if(code, [&](const CodeLine& line) {
    return line.step == step && line.address == address && (function.empty() || line.function == function);
  });
  return found == code.end() ? nullptr : &*found;
}

bool CodeReport::has_warp_groups(std::optional<int> step) const {
  return std::ranges::any_of(code, [&](const CodeLine& line) {
    return line.step == step.value_or(line.step) && line.text.find("GMMA.") != std::string::npos;
  });
}

const LoopReport* CodeReport::hottest() const {
  // Without samples, an iteration that computes and moves more is taken to be the one that the time goes into.
  const auto weight = [](const LoopReport& loop) {
    const double seen = loop.hits ? static_cast<double>(*loop.hits) : 0;
    const double guessed = loop.innermost ? loop.flops + loop.loaded_bytes + loop.stored_bytes + loop.depth : 0;
    return std::pair(seen, guessed);
  };
  const auto most =
      std::max_element(loops.begin(), loops.end(), [&](const LoopReport& a, const LoopReport& b) { return weight(a) < weight(b); });
  return most == loops.end() ? nullptr : &*most;
}

}  // namespace fuselab
