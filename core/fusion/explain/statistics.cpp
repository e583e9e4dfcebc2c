// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/explain/statistics.h"

#include <algorithm>

#include "core/base/words.h"

namespace fuselab {

FusionStatistics statistics_of(const FusionResult& fusion) {
  using Seconds = std::chrono::duration<double>;
  FusionStatistics statistics;
  for (const FusedOperation& piece : fusion.operations) {
    const auto running = static_cast<int>(
        std::count_if(piece.nodes.begin(), piece.nodes.end(), [&](NodeId id) { return !is_view(fusion.graph.node(id).op); }));
    if (running == 0) continue;
    ++statistics.pieces;
    statistics.operators += running;
    if (running == 1) continue;
    ++statistics.groups;
    statistics.fused_operators += running;
    ++statistics.groups_by_pattern[std::string(name_of(piece.pattern))];
  }
  statistics.rejected = static_cast<int>(fusion.rejected.size());
  for (const FusionRejected& pair : fusion.rejected) {
    ++statistics.rejected_by_reason[pair.reason];
    if (!pair.backend.empty()) ++statistics.rejected_by_backend[pair.backend];
  }
  statistics.imported = fusion.imported;
  statistics.started_unix_seconds = Seconds(fusion.started.time_since_epoch()).count();
  statistics.seconds = Seconds(fusion.took).count();
  return statistics;
}

std::vector<std::string> fold_sentences(const ImportCounts& imported, std::size_t most) {
  const std::size_t shown = std::min(most, imported.fold_notes.size());
  std::vector<std::string> sentences(imported.fold_notes.begin(), imported.fold_notes.begin() + static_cast<std::ptrdiff_t>(shown));
  const auto more = imported.fold_count() - static_cast<std::ptrdiff_t>(shown);
  if (more > 0) sentences.push_back(counted(more, "more operator") + " folded like these");
  return sentences;
}

}  // namespace fuselab
