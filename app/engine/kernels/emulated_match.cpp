// SPDX-License-Identifier: Apache-2.0
#include "app/engine/kernels/emulated_match.h"

#include "core/graph/graph_text.h"

namespace fuselab::engine {

EmulatedMatch match_emulated(WorkerPool& pool, const Graph& graph, const std::string& backend, const Target& target,
                             std::stop_token stop) {
  const auto reply = pool.emulate({backend, target, canonical_text(graph)}, std::move(stop));
  if (!reply.ok()) return {EmulatedMatch::Kind::kNotTried, reply.error().message, ""};
  const auto kind = reply.value().matched ? EmulatedMatch::Kind::kMatched : EmulatedMatch::Kind::kWrong;
  return {kind, reply.value().detail, reply.value().extents};
}

}  // namespace fuselab::engine
