// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/match/asked_limits.h"

#include <algorithm>

#include "core/fusion/match/forms.h"
#include "core/fusion/match/group.h"

namespace fuselab {
namespace {

// The asked backend with the least of a limit that has one.
const BackendLimits* strictest(const FusionOptions& options, int FusionLimits::*limit) {
  const BackendLimits* least = nullptr;
  for (const BackendLimits& each : options.asked) {
    if (each.limits.*limit > 0 && (least == nullptr || each.limits.*limit < least->limits.*limit)) least = &each;
  }
  return least;
}

// Counts the tensors that a kernel of these nodes would take as arguments: what they read from outside, and those of their results
// that others read.
int tensors_of(const GraphIndex& index, std::span<const NodeId> nodes) {
  std::vector<NodeId> members(nodes.begin(), nodes.end());
  std::sort(members.begin(), members.end());
  std::vector<ValueId> made, read;
  int kept = 0;
  const auto inside = [&](NodeId id) { return std::binary_search(members.begin(), members.end(), id); };
  for (NodeId id : nodes) {
    for (ValueId value : index.node(id).outputs) {
      const auto readers = index.readers(value);
      made.push_back(value);
      kept += index.is_output(value) || !std::all_of(readers.begin(), readers.end(), inside) ? 1 : 0;
    }
    for (ValueId value : index.node(id).inputs) {
      if (!index.is_constant(value)) read.push_back(value);
    }
  }
  std::sort(read.begin(), read.end());
  read.erase(std::unique(read.begin(), read.end()), read.end());
  std::sort(made.begin(), made.end());
  const auto from_outside = [&](ValueId value) { return !std::binary_search(made.begin(), made.end(), value); };
  return kept + static_cast<int>(std::count_if(read.begin(), read.end(), from_outside));
}

}  // namespace

std::optional<Refusal> too_many_operators(const FusionOptions& options, int operators) {
  const BackendLimits* const least = strictest(options, &FusionLimits::most_operators);
  if (least == nullptr || operators <= least->limits.most_operators) return std::nullopt;
  return Refusal{"together " + std::to_string(operators) + " operators, and " + least->backend + " takes at most " +
                     std::to_string(least->limits.most_operators) + " in a kernel",
                 least->backend};
}

std::optional<Refusal> too_many_tensors(const FusionOptions& options, const GraphIndex& index, std::span<const NodeId> nodes) {
  const BackendLimits* const least = strictest(options, &FusionLimits::most_tensors);
  if (least == nullptr) return std::nullopt;
  const int tensors = tensors_of(index, nodes);
  if (tensors <= least->limits.most_tensors) return std::nullopt;
  return Refusal{"their kernel would read and write " + std::to_string(tensors) + " tensors, and one of " + least->backend +
                     " takes at most " + std::to_string(least->limits.most_tensors),
                 least->backend};
}

std::optional<Refusal> multiplies_no_bytes(const FusionOptions& options) {
  if (!options.enable_prologue_fusion) return Refusal{"prologue fusion is off", {}};
  if (options.asked.empty())
    return Refusal{"only some backends multiply 8-bit numbers as they lie in memory, and none was asked", {}};
  const auto takes_bytes = [](const BackendLimits& each) { return each.limits.multiplies_8_bit; };
  if (std::any_of(options.asked.begin(), options.asked.end(), takes_bytes)) return std::nullopt;
  const std::string& first = options.asked.front().backend;
  return Refusal{first + " multiplies no 8-bit numbers as they lie in memory: it reads what Cast has written", first};
}

std::optional<Refusal> written_alone(const FusionOptions& options, Op op) {
  const std::string name(name_of(op));
  // An operator that reduces, gathers or moves has a loop of its own, whatever a backend makes of it.
  if (options.asked.empty() || info_of(op).access != AccessPattern::kElementWise) {
    if (!shares_no_kernel(op)) return std::nullopt;
    return Refusal{"no backend writes " + name + " together with others yet: it would keep its neighbours from running", {}};
  }
  for (const BackendLimits& each : options.asked) {
    const auto& alone = each.limits.writes_alone;
    if (std::find(alone.begin(), alone.end(), op) == alone.end()) continue;
    return Refusal{each.backend + " writes " + name + " beside no other operator: they would run slowly there, or not at all",
                   each.backend};
  }
  return std::nullopt;
}

}  // namespace fuselab
