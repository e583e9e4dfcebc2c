// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/partition/fusion_engine.h"

#include <algorithm>
#include <map>
#include <memory>

#include "core/fusion/match/describe.h"
#include "core/fusion/partition/fuser.h"
#include "core/fusion/partition/shared_values.h"
#include "core/graph/graph_text.h"

namespace fuselab {
namespace {

Graph cut_out(const GraphIndex& index, std::span<const NodeId> nodes) {
  return extract(index.graph(), nodes, [&](ValueId value) {
    const auto readers = index.readers(value);
    const auto outside = [&](NodeId id) { return !std::binary_search(nodes.begin(), nodes.end(), id); };
    return index.is_output(value) || std::any_of(readers.begin(), readers.end(), outside);
  });
}

FusedOperation describe_piece(const GraphIndex& index, const Group& group, std::span<const NodeId> nodes) {
  FusedOperation piece;
  piece.nodes.assign(nodes.begin(), nodes.end());
  piece.graph = cut_out(index, nodes);
  piece.id = graph_key(piece.graph).short_hex();
  piece.name = piece_name(index, group, nodes);
  piece.pattern = classify(index, group, nodes);
  piece.prologue = group.prologue_decision;
  if (group.form != Form::kOpaque && piece.graph.is_concrete()) {
    if (auto cost = cost_of(piece.graph); cost.ok()) piece.cost = cost.value();
  }
  return piece;
}

std::vector<FusionRejected> rejections(const GraphIndex& index, const Fuser& fuser) {
  std::vector<FusionRejected> rejected;
  for (std::size_t i = 0; i < index.size(); ++i) {
    const NodeId consumer{static_cast<std::uint32_t>(i)};
    if (!fuser.partition().contains(consumer)) continue;
    for (NodeId producer : index.producers(consumer)) {
      if (fuser.partition().group_of(producer) == fuser.partition().group_of(consumer)) continue;
      Refusal apart = fuser.why_apart(producer, consumer);
      rejected.push_back({node_name(index, producer), node_name(index, consumer), std::move(apart.reason), producer, consumer,
                          std::move(apart.backend)});
    }
  }
  return rejected;
}

// A graph cut into groups. Not movable: its parts borrow from each other.
struct Cut {
  Cut(RepeatedGraph written, const FusionOptions& options, RefusedGroups groups)
      : repeated(std::move(written)), refused(std::move(groups)), index(repeated.graph), fuser(index, options) {
    fuser.refuse(refused, repeated.origins);
    fuser.run();
  }
  Cut(const Cut&) = delete;
  Cut& operator=(const Cut&) = delete;

  RepeatedGraph repeated;
  RefusedGroups refused;
  GraphIndex index;
  Fuser fuser;
};

std::vector<Repetition> repetitions_of(const std::vector<SharedValue>& shared) {
  std::vector<Repetition> repetitions;
  for (const SharedValue& each : shared) {
    if (each.repetition) repetitions.push_back(*each.repetition);
  }
  return repetitions;
}

// The cut, anew with what pays to be computed in each piece that reads it, once each copy is fused with its readers.
Result<std::unique_ptr<Cut>> cut_with_repetitions(const Graph& graph, const FusionOptions& options, const RefusedGroups& refused,
                                                  std::vector<SharedIntermediate>& told) {
  constexpr int kMostTrials = 4;
  auto cut = std::make_unique<Cut>(RepeatedGraph{graph, {}}, options, refused);
  std::vector<SharedValue> shared = find_shared_values(cut->index, options, cut->fuser);
  for (int trial = 0; !repetitions_of(shared).empty(); ++trial) {
    if (trial == kMostTrials) {
      for (SharedValue& each : shared) store_after_all(each, "copies of others, which were taken back, were counted on");
      break;
    }
    FL_TRY(RepeatedGraph repeated, repeat_nodes(graph, repetitions_of(shared)));
    auto next = std::make_unique<Cut>(std::move(repeated), options, refused);
    if (!keep_fused_copies(shared, next->repeated, next->index, next->fuser)) continue;
    cut = std::move(next);
    break;
  }
  std::map<NodeId, NodeId> places;  // of the given graph's nodes
  for (std::size_t i = cut->repeated.origins.size(); i-- > 0;)
    places[cut->repeated.origins[i]] = NodeId(static_cast<std::uint32_t>(i));
  for (SharedValue& each : shared) {
    if (!places.empty()) each.told.node = places.at(each.told.node);
    told.push_back(std::move(each.told));
  }
  return cut;
}

// A graph's cut and what it is told of.
struct CutPieces {
  std::unique_ptr<Cut> cut;
  std::vector<FusedOperation> pieces;
  std::vector<SharedIntermediate> shared;
};

// Adds the groups of those pieces that no asked backend writes. Returns false where there is none.
// `apart`: two neighbours of such a piece are no group either.
bool add_refused(const CutPieces& found, PieceOffers& offers, bool apart, RefusedGroups& refused) {
  bool any = false;
  const auto& origins = found.cut->repeated.origins;
  const auto origin = [&](NodeId id) { return origins.empty() ? id : origins[index_of(id)]; };
  for (const FusedOperation& piece : found.pieces) {
    const auto why = offers.refusal_of(piece);
    if (!why) continue;
    any = true;
    std::vector<NodeId> nodes;
    for (const NodeId id : piece.nodes) nodes.push_back(origin(id));
    refused.add(node_set(std::move(nodes)), *why);
    if (!apart) continue;
    for (const NodeId id : piece.nodes) {
      for (const NodeId producer : found.cut->index.producers(id)) {
        if (std::binary_search(piece.nodes.begin(), piece.nodes.end(), producer))
          refused.add(node_set({origin(producer), origin(id)}), *why);
      }
    }
  }
  return any;
}

// Cuts the graph, offers the pieces to the asked backends, and cuts again what none of them writes: without the operator that
// joined last, at first, so that what the others can be together is found.
Result<CutPieces> cut_and_offer(const Graph& graph, const FusionOptions& options) {
  // A cut takes an operator away, and pieces have fewer than this. Behind that, and of a large graph, which takes seconds,
  // neighbours of a refused piece stay apart. They may join others once more, but never each other, so that few cuts end it.
  const int careful_cuts = graph.nodes().size() > 20'000 ? 0 : 24;
  const int most_cuts = careful_cuts + 8;
  RefusedGroups refused;
  PieceOffers offers(options.asked);
  for (int cuts = 1;; ++cuts) {
    CutPieces found;
    FL_TRY(found.cut, cut_with_repetitions(graph, options, refused, found.shared));
    const Fuser& fuser = found.cut->fuser;
    for (const GroupId group : fuser.partition().order())
      found.pieces.push_back(describe_piece(found.cut->index, fuser.group(group), fuser.partition().members(group)));
    if (cuts > most_cuts || !add_refused(found, offers, cuts > careful_cuts, refused)) return found;
  }
}

Status check_options(const FusionOptions& options) {
  if (options.max_fusion_ops < 1) return invalid_argument("max_fusion_ops must be at least 1");
  if (options.min_benefit_score < 0 || options.min_benefit_score > 100)
    return invalid_argument("min_benefit_score must be 0 … 100");
  return Status();
}

// Nodes reachable from the first one over edges between these nodes, either way.
bool connected(const GraphIndex& index, const std::vector<NodeId>& nodes) {
  std::vector<NodeId> reached{nodes.front()};
  for (std::size_t next = 0; next < reached.size(); ++next) {
    for (const auto neighbours : {index.producers(reached[next]), index.consumers(reached[next])}) {
      for (NodeId id : neighbours) {
        const bool inside = std::binary_search(nodes.begin(), nodes.end(), id);
        if (inside && std::find(reached.begin(), reached.end(), id) == reached.end()) reached.push_back(id);
      }
    }
  }
  return reached.size() == nodes.size();
}

}  // namespace

Result<FusionResult> fuse(const Graph& graph, const FusionOptions& options) {
  FL_TRY_VOID(check_options(options));
  FusionResult result;
  result.started = std::chrono::system_clock::now();
  const auto begin = std::chrono::steady_clock::now();
  FL_TRY(CutPieces found, cut_and_offer(graph, options));
  const GraphIndex& index = found.cut->index;
  const Fuser& fuser = found.cut->fuser;
  result.shared = std::move(found.shared);
  result.operations = std::move(found.pieces);
  result.graph = found.cut->repeated.graph;
  result.origins = found.cut->repeated.origins;
  // Asked before the rejections, which look further.
  if (fuser.partition().gave_up()) {
    result.notes.emplace_back(
        "paths of this graph cross so often that fusion did not follow all: operators stay apart that might be one kernel");
  }
  int opaque = 0;
  for (const FusedOperation& piece : result.operations) {
    result.original_op_count += static_cast<int>(piece.nodes.size());
    opaque += piece.pattern == FusionPatternType::kOpaque ? 1 : 0;
  }
  if (!result.origins.empty()) result.original_op_count -= static_cast<int>(result.origins.size() - graph.nodes().size());
  result.fused_op_count = static_cast<int>(result.operations.size());
  result.rejected = rejections(index, fuser);
  if (result.original_op_count > 0) result.covered_share = 1.0 - static_cast<double>(opaque) / result.original_op_count;
  result.took = std::chrono::steady_clock::now() - begin;
  return result;
}

std::vector<FusedOperation> deduplicate(std::vector<FusedOperation> operations) {
  std::vector<FusedOperation> unique;
  std::map<std::string, std::size_t> place;
  for (auto& operation : operations) {
    const auto [found, is_new] = place.try_emplace(operation.id, unique.size());
    if (is_new) {
      unique.push_back(std::move(operation));
    } else {
      unique[found->second].count += operation.count;
    }
  }
  return unique;
}

Support can_fuse(const Graph& graph, std::span<const NodeId> nodes, const FusionOptions& options) {
  if (auto checked = check_options(options); !checked.ok()) return Support::no(checked.error().message);
  const GraphIndex index(graph);
  std::vector<NodeId> wanted;
  for (NodeId id : nodes) {
    if (index_of(id) >= index.size()) return Support::no("the graph has no node " + std::to_string(index_of(id)));
    if (index.node(id).op == Op::kConstant) continue;
    if (!index.is_compute(id)) return Support::no("no output of the graph needs " + node_name(index, id));
    wanted.push_back(id);
  }
  wanted = node_set(std::move(wanted));
  if (wanted.empty()) return Support::no("there is no operator to fuse");
  if (!connected(index, wanted)) return Support::no("the operators are not connected");
  Fuser fuser(index, options, wanted);
  std::vector<GroupId> groups;
  for (NodeId id : wanted) groups.push_back(fuser.partition().group_of(id));
  if (const auto obstacle = fuser.partition().obstacle(groups); obstacle && obstacle->through) {
    return Support::no("a path through " + node_name(index, fuser.partition().members(*obstacle->through).front()) +
                       " leaves the group and comes back");
  }
  fuser.run();
  for (NodeId consumer : wanted) {
    for (NodeId producer : index.producers(consumer)) {
      if (!std::binary_search(wanted.begin(), wanted.end(), producer)) continue;
      if (fuser.partition().group_of(producer) == fuser.partition().group_of(consumer)) continue;
      return Support::no(node_name(index, producer) + " and " + node_name(index, consumer) + ": " +
                         fuser.why_apart(producer, consumer).reason);
    }
  }
  return {};
}

int benefit_score(const Graph& piece) {
  const GraphIndex index(piece);
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < index.size(); ++i) {
    const NodeId id{static_cast<std::uint32_t>(i)};
    if (index.is_compute(id)) nodes.push_back(id);
  }
  return benefit_score(index, nodes);
}

}  // namespace fuselab
