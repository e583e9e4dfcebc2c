// SPDX-License-Identifier: Apache-2.0
#include "app/engine/offers/runnable_share.h"

#include <array>
#include <map>

#include "app/engine/offers/offered_limits.h"
#include "app/engine/subject/operator_counts.h"
#include "core/graph/graph_text.h"

namespace fuselab::engine {
namespace {

// Asks devices one after the other which graphs they write, and for further devices only as long as a graph is refused.
class Askers {
 public:
  Askers(WorkerPool& workers, const NextDevices& next, std::string level)
      : workers_(workers), next_(next), level_(std::move(level)) {}

  // Returns the first device's reason where none writes the graph as one kernel; nothing: one does. A device that cannot be asked
  // writes nothing.
  const std::optional<std::string>& why_not(const Graph& graph) {
    const auto [known, is_new] = known_.try_emplace(graph_key(graph));
    if (!is_new) return known->second;
    known->second = "no device can be used here";
    for (std::size_t i = 0; i < devices_.size() || fetch(); ++i) {
      const auto answer = writes_on(workers_, devices_[i], level_, graph);
      if (answer && answer->yes) {
        known->second.reset();
        break;
      }
      if (i == 0) known->second = devices_[i].backend + ": " + (answer ? answer->why_not : "it has no compiler here");
    }
    return known->second;
  }

 private:
  bool fetch() {
    while (auto more = next_()) {
      devices_.insert(devices_.end(), more->begin(), more->end());
      if (!more->empty()) return true;
    }
    return false;
  }

  WorkerPool& workers_;
  const NextDevices& next_;
  std::string level_;
  std::vector<DeviceInfo> devices_;
  std::map<ContentHash, std::optional<std::string>> known_;
};

}  // namespace

void fill_runnable_share(FusedModel& model, WorkerPool& workers, const NextDevices& next) {
  FusionResult& fusion = model.fusion;
  if (!fusion.graph.is_concrete()) return;
  Askers askers(workers, next, model.level);
  std::map<std::string, const Piece*> pieces;
  for (const Piece& piece : model.pieces) pieces[piece.operation.id] = &piece;
  const OperatorCounts counts = count_operators(fusion, [&](const FusedOperation& piece, NodeId id) -> std::optional<std::string> {
    const std::string& not_measured = pieces.at(piece.id)->not_measured;
    if (piece.pattern == FusionPatternType::kOpaque) return not_measured;
    if (!not_measured.empty() || is_view(fusion.graph.node(id).op)) return std::nullopt;
    const auto& refused = askers.why_not(piece.graph);
    return refused && piece.nodes.size() > 1 ? askers.why_not(extract(fusion.graph, std::array{id})) : refused;
  });
  fusion.runnable_share = counts.run_share();
  fusion.not_runnable = counts.not_run;
}

}  // namespace fuselab::engine
