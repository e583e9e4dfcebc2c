// SPDX-License-Identifier: Apache-2.0
#include "app/engine/subject/piece.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>

#include "core/base/formatted.h"
#include "core/fusion/fold/fold_weights.h"
#include "core/fusion/fold/prune.h"
#include "core/graph/graph_text.h"
#include "core/reference/reference.h"

namespace fuselab::engine {
namespace {

// Returns the operators that run. Constants are copied into their readers and views are aliases, so neither is one.
std::vector<std::vector<NodeId>> operators_of(const Graph& graph) {
  std::vector<std::vector<NodeId>> groups;
  for (std::size_t index = 0; index < graph.nodes().size(); ++index) {
    const Node& node = graph.nodes()[index];
    if (node.op == Op::kConstant || is_view(node.op)) continue;
    groups.push_back({static_cast<NodeId>(index)});
  }
  return groups;
}

// Returns why an operation is a barrier. An operator with a known name is one for another reason than its name.
std::string barrier_text(const Graph& graph, const std::string& because) {
  if (!because.empty()) return "a barrier: " + because;
  const bool known = std::any_of(graph.nodes().begin(), graph.nodes().end(),
                                 [](const Node& node) { return node.op == Op::kOpaque && parse_op(node.opaque_type).has_value(); });
  return known ? "a barrier: its types are not known" : "a barrier: Fuselab does not know this operator";
}

// Returns why each barrier is one, by the id of its operation. Equal ones may have several reasons.
std::map<std::string, std::string> reasons_of(const FusionResult& fusion, const std::map<NodeId, std::string>& barriers) {
  std::map<std::string, std::string> reasons;
  for (const FusedOperation& operation : fusion.operations) {
    for (const NodeId id : operation.nodes) {
      const auto barrier = barriers.find(fusion.origin(id));
      if (barrier == barriers.end()) continue;
      std::string& reason = reasons[operation.id];
      if (reason.find(barrier->second) == std::string::npos) reason += (reason.empty() ? "" : "; or ") + barrier->second;
    }
  }
  return reasons;
}

// Returns why a whole model is measured only where that is asked for; empty for one within the bound. A sample of its outputs saves
// little of a model's reference, since nearly all of its layers are behind any of them. ResNet-50's took 4 s.
std::string slow_reference_text(const Cost& cost) {
  constexpr double kMostFlops = 20e9;
  if (cost.flops <= kMostFlops) return {};
  return formatted("its float64 reference takes %.3g GFLOP; --whole measures it", cost.flops * 1e-9);
}

// Makes a piece in canonical form: kernels are made from the canonical text, whose inputs may be in another order. `because`: why
// the operation is a barrier, if it is one.
Result<Piece> make_piece(FusedOperation operation, const std::string& because = "") {
  Piece piece;
  const std::string text = canonical_text(operation.graph);
  FL_TRY(operation.graph, parse_graph(text));
  piece.key = ContentHash::of(text).hex();
  if (operation.pattern == FusionPatternType::kOpaque) {
    piece.not_measured = barrier_text(operation.graph, because);
  } else if (operation.pattern == FusionPatternType::kWholeModel) {
    piece.not_measured = slow_reference_text(operation.cost);  // what is unfused of it are the model's pieces
  } else {
    piece.operators = operators_of(operation.graph);
    if (piece.operators.empty()) piece.not_measured = "no kernel: it only gives memory another shape and moves no bytes";
  }
  for (const auto& nodes : piece.operators) piece.operator_graphs.push_back(extract(operation.graph, nodes));
  piece.operation = std::move(operation);
  return piece;
}

// `moved`: the new node of each node of the subject's graph.
void move_barriers(Subject& subject, const std::vector<std::optional<NodeId>>& moved) {
  std::map<NodeId, std::string> barriers;
  for (auto& [id, because] : subject.barriers) {
    if (const auto now = moved[static_cast<std::size_t>(id)]) barriers[*now] = std::move(because);
  }
  subject.barriers = std::move(barriers);
}

// A graph text may have operators that no output needs; of a model the importer has left them out.
void leave_out_dead(Subject& subject) {
  auto pruned = without_dead_operators(subject.graph);
  if (!pruned) return;
  subject.notes.push_back(left_out_text(subject.graph, *pruned));
  move_barriers(subject, pruned->moved);
  subject.graph = std::move(pruned->graph);
}

// Folds what the subject's weights decide alone. Their numbers follow where they are there.
void fold(Subject& subject) {
  auto folded = fold_weights(subject.graph, subject.constants);
  if (!folded) return;
  subject.imported.folded_norms = folded->norms;
  subject.imported.folded_weights = folded->operators;
  std::move(folded->fold_notes.begin(), folded->fold_notes.end(), std::back_inserter(subject.imported.fold_notes));
  move_barriers(subject, folded->moved);
  if (subject.weights) {
    // These numbers have no other owner as a rule, and then they need not be there twice.
    auto numbers = subject.weights.use_count() == 1 ? std::const_pointer_cast<PackedNumbers>(std::move(subject.weights))
                                                    : std::make_shared<PackedNumbers>(*subject.weights);
    compute_folded(*folded, *numbers);
    subject.weights = std::move(numbers);
  }
  subject.graph = std::move(folded->graph);
}

// Returns how often a kernel runs in the model.
int kernels_in(const std::vector<Piece>& pieces) {
  return std::accumulate(pieces.begin(), pieces.end(), 0, [](int sum, const Piece& piece) {
    return sum + (piece.not_measured.empty() ? piece.operation.count : 0);
  });
}

std::optional<Piece> whole_of(const Subject& subject, const std::vector<Piece>& pieces) {
  const auto is_barrier = [](const Node& node) { return node.op == Op::kOpaque; };
  const auto& nodes = subject.graph.nodes();
  if (!subject.graph.is_concrete() || kernels_in(pieces) < 2 || std::any_of(nodes.begin(), nodes.end(), is_barrier))
    return std::nullopt;
  auto whole = piece_of(canonical_text(subject.graph), subject.name, FusionPatternType::kWholeModel);
  return whole.ok() ? std::optional(std::move(whole).value()) : std::nullopt;  // its pieces may do without
}

}  // namespace

double covered_share(const std::vector<Piece>& pieces) {
  std::int64_t operators = 0, barriers = 0;
  for (const Piece& piece : pieces) {
    for (const Node& node : piece.operation.graph.nodes()) {
      operators += node.op == Op::kConstant ? 0 : piece.operation.count;
      barriers += node.op == Op::kOpaque ? piece.operation.count : 0;
    }
  }
  return operators > 0 ? 1.0 - static_cast<double>(barriers) / static_cast<double>(operators) : 1.0;
}

std::optional<bool> takes_whole_models(const std::vector<BackendReport>& backends, const DeviceInfo& device) {
  for (const BackendReport& backend : backends) {
    if (backend.id != device.backend) continue;
    if (!backend.availability.usable) return std::nullopt;
    const auto& patterns = backend.capabilities.patterns;
    return std::find(patterns.begin(), patterns.end(), name_of(FusionPatternType::kWholeModel)) != patterns.end();
  }
  return false;
}

std::vector<BackendLimits> limits_of(const std::vector<BackendReport>& backends, const std::vector<DeviceInfo>& devices) {
  std::vector<BackendLimits> limits;
  for (const BackendReport& backend : backends) {
    const bool asked =
        std::any_of(devices.begin(), devices.end(), [&](const DeviceInfo& each) { return each.backend == backend.id; });
    // A backend that is not usable states no limits, which does not mean that it has none: its stored pieces were cut with them.
    if (asked && backend.availability.usable) limits.push_back({backend.id, backend.capabilities.fusion});
  }
  return limits;
}

Result<FusedModel> cut(Subject subject, OptimizationLevel level, std::vector<BackendLimits> asked) {
  leave_out_dead(subject);
  if (level >= OptimizationLevel::kO2) fold(subject);
  FusionOptions options = options_for(level);
  options.asked = std::move(asked);
  auto fusion = fuse(subject.graph, options);
  if (!fusion.ok()) return fusion.error().within(subject.name);
  FusedModel fused_model;
  fused_model.fusion = std::move(fusion).value();
  fused_model.fusion.notes.insert(fused_model.fusion.notes.begin(), subject.notes.begin(), subject.notes.end());
  fused_model.fusion.imported = subject.imported;
  fused_model.level = name_of(level);
  const auto reasons = reasons_of(fused_model.fusion, subject.barriers);
  for (FusedOperation& operation : deduplicate(fused_model.fusion.operations)) {
    const auto reason = reasons.find(operation.id);
    FL_TRY(Piece piece, make_piece(std::move(operation), reason == reasons.end() ? std::string() : reason->second));
    fused_model.pieces.push_back(std::move(piece));
  }
  fused_model.whole = whole_of(subject, fused_model.pieces);
  fused_model.subject = std::move(subject);
  return fused_model;
}

Result<std::vector<FusedModel>> cut_subject(const Config& config, const std::string& subject, const std::string& binding,
                                            DType dtype, OptimizationLevel level) {
  Config looking = config;
  looking.model_directory.clear();
  FL_TRY(auto subjects, resolve_subject(looking, subject, binding, dtype));
  std::vector<FusedModel> models;
  for (Subject& each : subjects) {
    FL_TRY(FusedModel model, cut(std::move(each), level));
    models.push_back(std::move(model));
  }
  return models;
}

Result<FusedModel> keep_whole(Subject subject, OptimizationLevel level) {
  FL_TRY(FusedModel fused_model, cut(std::move(subject), level));
  if (fused_model.pieces.size() == 1 && fused_model.pieces.front().operation.count == 1) return fused_model;
  FusedOperation whole;
  Subject& folded = fused_model.subject;
  FL_TRY(whole.cost, cost_of(folded.graph));
  whole.id = graph_key(folded.graph).hex().substr(0, 12);
  whole.name = folded.name;
  whole.pattern = FusionPatternType::kMixed;
  whole.graph = folded.graph;
  FL_TRY(Piece piece, make_piece(std::move(whole)));
  fused_model.pieces.clear();
  fused_model.whole.reset();
  fused_model.pieces.push_back(std::move(piece));
  return fused_model;
}

Result<Piece> piece_of(const std::string& canonical, std::string name, FusionPatternType pattern) {
  FusedOperation operation;
  FL_TRY(operation.graph, parse_graph(canonical));
  FL_TRY(operation.cost, cost_of(operation.graph));
  operation.id = graph_key(operation.graph).hex().substr(0, 12);
  operation.name = std::move(name);
  operation.pattern = pattern;
  return make_piece(std::move(operation));
}

Result<FusedModel> stored_fused_model(const Catalog& catalog, const MeasuredQuestion& asked) {
  std::map<std::string, const PieceRecord*> pieces;
  for (const PieceRecord& piece : catalog.pieces) pieces[piece.key] = &piece;
  FusedModel fused_model;
  fused_model.subject.name = asked.model;  // as stored
  fused_model.subject.binding = asked.question.binding;
  fused_model.subject.dtype = asked.question.dtype;
  fused_model.level = asked.question.level;
  for (const ModelPieceRecord& use : catalog.model_pieces) {
    const bool wanted =
        use.run_id == asked.run_id && use.model == asked.model && Question{use.binding, use.level, use.dtype} == asked.question;
    const auto piece = pieces.find(use.piece_key);
    if (!wanted || piece == pieces.end()) continue;
    FusedOperation operation;
    FL_TRY(operation.graph, parse_graph(piece->second->canonical_text));
    // The same graph may be a piece, too: another level cuts it as one kernel, or somebody named a configuration of it. So what a
    // whole model is, its use says, never the piece.
    const bool is_whole = use.position == ModelPieceRecord::kWholeModel;
    FL_TRY(operation.pattern, parse_fusion_pattern(piece->second->pattern));
    if (is_whole) operation.pattern = FusionPatternType::kWholeModel;
    operation.id = use.piece_key.substr(0, 12);
    operation.name = use.name;
    operation.count = use.count;
    operation.cost = piece->second->cost;
    FL_TRY(Piece stored, make_piece(std::move(operation)));
    if (is_whole) {
      fused_model.whole = std::move(stored);
      continue;
    }
    if (!stored.not_measured.empty() && !use.reason.empty()) stored.not_measured = use.reason;
    fused_model.pieces.push_back(std::move(stored));
  }
  return fused_model;
}

}  // namespace fuselab::engine
