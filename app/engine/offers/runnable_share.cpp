// SPDX-License-Identifier: Apache-2.0
#include "app/engine/offers/runnable_share.h"

#include <algorithm>
#include <map>

#include "app/engine/offers/offered_limits.h"
#include "app/engine/subject/operator_counts.h"

namespace fuselab::engine {
namespace {

// Returns why the device runs the piece neither as one kernel nor by its operators; nothing: it does. A device that cannot be asked
// runs nothing.
std::optional<std::string> why_not_on(const DeviceInfo& device, const Piece& piece, WorkerPool& workers, const std::string& level) {
  const auto refusal = [&](const Graph& graph) -> std::optional<std::string> {
    const auto answer = writes_on(workers, device, level, graph);
    if (answer && answer->yes) return std::nullopt;
    return device.backend + ": " + (answer ? answer->why_not : "it has no compiler here");
  };
  auto whole = refusal(piece.operation.graph);
  if (!whole || piece.is_single()) return whole;
  for (const Graph& one : piece.operator_graphs) {
    if (auto why = refusal(one)) return why;
  }
  return std::nullopt;
}

}  // namespace

void fill_runnable_share(FusedModel& model, WorkerPool& workers, const NextDevices& next) {
  FusionResult& fusion = model.fusion;
  if (!fusion.graph.is_concrete()) return;
  std::map<std::string, std::string> reasons;  // by the id of a piece that is not run
  std::vector<const Piece*> left;
  for (const Piece& piece : model.pieces) {
    if (piece.not_measured.empty()) left.push_back(&piece);
    if (piece.operation.pattern == FusionPatternType::kOpaque) reasons[piece.operation.id] = piece.not_measured;
  }
  for (const Piece* piece : left) reasons[piece->operation.id] = "no device can be used here";
  std::map<std::string, bool> asked;
  while (!left.empty()) {
    const auto devices = next();
    if (!devices) break;
    for (const DeviceInfo& device : *devices) {
      std::erase_if(left, [&](const Piece* piece) {
        const std::string& id = piece->operation.id;
        const auto why = why_not_on(device, *piece, workers, model.level);
        if (!why) return reasons.erase(id) > 0;
        if (!std::exchange(asked[id], true)) reasons[id] = *why;
        return false;
      });
    }
  }
  const OperatorCounts counts = count_operators(fusion, [&](const FusedOperation& piece) -> std::optional<std::string> {
    const auto reason = reasons.find(piece.id);
    return reason == reasons.end() ? std::nullopt : std::optional(reason->second);
  });
  fusion.runnable_share = counts.run_share();
  fusion.not_runnable = counts.not_run;
}

}  // namespace fuselab::engine
