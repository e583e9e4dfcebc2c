// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/fusion/match/normed_rows.h"
#include "core/fusion/match/prologue.h"
#include "core/fusion/match/twin_products.h"

namespace fuselab {
namespace {

// The first edge that leads from one set of nodes into the other.
struct Edge {
  NodeId producer, consumer;
};

bool has(std::span<const NodeId> nodes, NodeId id) {
  return std::binary_search(nodes.begin(), nodes.end(), id);
}

template <typename Visit>
void for_each_edge(const GraphIndex& index, std::span<const NodeId> a, std::span<const NodeId> b, Visit visit) {
  for (NodeId consumer : b) {
    // A Concat may read from tens of thousands, each of which asks.
    const auto producers = index.producers(consumer);
    const bool few = producers.size() <= a.size();
    for (NodeId producer : few ? producers : a) {
      if (has(few ? a : producers, producer)) visit(Edge{producer, consumer});
    }
  }
}

std::string op_of(const GraphIndex& index, NodeId id) {
  const Node& node = index.node(id);
  return node.op == Op::kOpaque ? node.opaque_type : std::string(name_of(node.op));
}

// A group of a certain form as a sentence's subject: its contraction, or the operator at the edge.
std::string subject(const GraphIndex& index, const Group& group, NodeId at_edge) {
  return op_of(index, group.anchor.value_or(at_edge));
}

// Everything join() looks at, so that the rules below can be short.
struct Pair {
  const GraphIndex& index;
  const FusionOptions& options;
  const Group& a;
  const Group& b;
  std::span<const NodeId> a_nodes, b_nodes;
  Edge edge;
  bool feeds_anchor = false;    // a's output is an operand of b's contraction, not of its epilogue
  bool feeds_prologue = false;  // … or of what makes such an operand

  std::string producer() const { return op_of(index, edge.producer); }
  std::string consumer() const { return op_of(index, edge.consumer); }
};

Joined refuse(Refusal refusal) {
  return {std::move(refusal), {}};
}

Joined refuse(std::string reason) {
  return refuse(Refusal{std::move(reason), {}});
}

Joined accept(Form form, const Shape& space, std::optional<NodeId> anchor = std::nullopt) {
  Joined joined;
  joined.group.form = form;
  joined.group.space = space;
  joined.group.anchor = anchor;
  return joined;
}

Joined shapes_differ(const Pair& pair) {
  return refuse(pair.producer() + " works on " + shape_text(pair.a.space) + ", " + pair.consumer() + " on " +
                shape_text(pair.b.space) + ": one kernel has one iteration space");
}

Joined join_elementwise(const Pair& pair) {
  return pair.a.space == pair.b.space ? accept(Form::kElementWise, pair.a.space) : shapes_differ(pair);
}

// At least one side works on rows; an element-wise side may cover whole rows or hold one number per row.
Joined join_rows(const Pair& pair) {
  const bool a_rows = pair.a.form == Form::kRows;
  const Shape& space = a_rows ? pair.a.space : pair.b.space;
  const Shape& other = a_rows ? pair.b.space : pair.a.space;
  const bool both = a_rows && pair.b.form == Form::kRows;
  if (other == space || (!both && is_row_scalar(other, space))) return accept(Form::kRows, space);
  return shapes_differ(pair);
}

Status conv_options_allow(const Pair& pair) {
  const auto& options = pair.options;
  bool batch_norm = false;
  for (NodeId id : pair.b_nodes) batch_norm = batch_norm || pair.index.node(id).op == Op::kBatchNormalization;
  if (batch_norm && !options.enable_batch_norm_folding) return invalid_argument("batch-normalisation folding is off");
  if (!batch_norm && !options.enable_conv_activation_fusion) return invalid_argument("convolution-activation fusion is off");
  return Status();
}

Joined join_epilogue(const Pair& pair) {
  if (pair.a.space != pair.b.space) return shapes_differ(pair);
  if (pair.a.form == Form::kConvolution) {
    if (auto allowed = conv_options_allow(pair); !allowed.ok()) return refuse(allowed.error().message);
  }
  return accept(pair.a.form, pair.a.space, pair.a.anchor);
}

// a makes an operand of b's contraction.
Joined accept_prologue(const Pair& pair, Prologue prologue) {
  Joined joined = accept(pair.b.form, pair.b.space, pair.b.anchor);
  joined.group.prologue.assign(pair.a_nodes.begin(), pair.a_nodes.end());
  joined.group.prologue_decision = std::move(prologue.decision);
  return joined;
}

// An element-wise group that makes an operand of a contraction's epilogue (a residual, a gate).
Joined join_epilogue_operand(const Pair& pair) {
  if (pair.feeds_anchor) {
    Prologue prologue = consider_prologue(pair.index, pair.options, pair.a, pair.a_nodes, pair.b);
    if (prologue.refused) return refuse(*std::move(prologue.refused));
    return accept_prologue(pair, std::move(prologue));
  }
  return pair.a.space == pair.b.space ? accept(pair.b.form, pair.b.space, pair.b.anchor) : shapes_differ(pair);
}

Joined rows_before_tiles(const Pair& pair, Refusal because) {
  return refuse(Refusal{
      subject(pair.index, pair.b, pair.edge.consumer) + " works on tiles, " + pair.producer() + " on whole rows: " + because.reason,
      std::move(because.backend)});
}

Joined join_with_contraction(const Pair& pair) {
  const bool a_contracts = is_contraction(pair.a.form);
  const bool b_contracts = is_contraction(pair.b.form);
  if (pair.feeds_prologue) {
    return refuse(pair.consumer() + " is computed while " + subject(pair.index, pair.b, pair.edge.consumer) +
                  " brings its operand together: only what was fused with it before is computed with it");
  }
  if (a_contracts && b_contracts) {
    if (!pair.feeds_anchor) {
      if (auto refused = refuse_twins(pair.index, pair.options, pair.a, pair.a_nodes, pair.b, pair.b_nodes)) {
        return refuse(Refusal{subject(pair.index, pair.b, pair.edge.consumer) + "'s epilogue reads what " +
                                  subject(pair.index, pair.a, pair.edge.producer) + " computes: " + refused->reason,
                              std::move(refused->backend)});
      }
      Joined joined = accept(pair.b.form, pair.b.space, pair.b.anchor);
      joined.group.twin = pair.a.anchor;
      return joined;
    }
    return refuse(subject(pair.index, pair.b, pair.edge.consumer) + " reads whole rows and columns of what " +
                  subject(pair.index, pair.a, pair.edge.producer) + " computes tile by tile: a kernel has one contraction");
  }
  if (a_contracts && pair.b.form == Form::kElementWise) return join_epilogue(pair);
  if (b_contracts && pair.a.form == Form::kElementWise) return join_epilogue_operand(pair);
  if (a_contracts) {
    return refuse(pair.consumer() + " needs whole rows of which " + subject(pair.index, pair.a, pair.edge.producer) +
                  "'s kernel holds only tiles");
  }
  if (!pair.feeds_anchor) return rows_before_tiles(pair, {"the loops do not match", {}});
  Prologue norm = consider_normed_rows(pair.index, pair.options, pair.a_nodes, pair.b);
  if (norm.refused) return rows_before_tiles(pair, *std::move(norm.refused));
  return accept_prologue(pair, std::move(norm));
}

// Views inside a group would break its single iteration space; they only sit at its ends.
bool changes_shape(const GraphIndex& index, NodeId id) {
  const Op op = index.node(id).op;
  return is_view(op) && op != Op::kIdentity;
}

Joined join_forms(const Pair& pair) {
  const auto either = [&](Form form) { return pair.a.form == form || pair.b.form == form; };
  if (either(Form::kOpaque)) {
    const auto id = pair.a.form == Form::kOpaque ? pair.edge.producer : pair.edge.consumer;
    return refuse(op_of(pair.index, id) + " is a barrier: nothing is fused across it");
  }
  if (!pair.options.enable_fusion) return refuse("fusion is off");
  if (changes_shape(pair.index, pair.edge.producer) || changes_shape(pair.index, pair.edge.consumer)) {
    const bool at_producer = changes_shape(pair.index, pair.edge.producer);
    return refuse((at_producer ? pair.producer() : pair.consumer()) +
                  " changes the shape between them: the loops on both sides differ");
  }
  if (pair.a.form == Form::kAlone) return refuse(pair.a.alone_because);
  if (pair.b.form == Form::kAlone) return refuse(pair.b.alone_because);
  if (pair.options.aggressiveness == FusionAggressiveness::kConservative &&
      !(pair.a.form == Form::kElementWise && pair.b.form == Form::kElementWise)) {
    return refuse("only element-wise operators are fused at this level");
  }
  if (either(Form::kAttention)) return refuse("an attention kernel walks over blocks of keys: nothing else joins its loops");
  if (either(Form::kRotary)) return refuse("a rotary embedding pairs the halves of each row: nothing else joins its loops");
  if (is_contraction(pair.a.form) || is_contraction(pair.b.form)) return join_with_contraction(pair);
  return either(Form::kRows) ? join_rows(pair) : join_elementwise(pair);
}

}  // namespace

Joined join(const GraphIndex& index, const FusionOptions& options, const Group& a, std::span<const NodeId> a_nodes, const Group& b,
            std::span<const NodeId> b_nodes) {
  std::optional<Edge> first;
  std::optional<Edge> through_view;
  bool feeds_anchor = false, feeds_prologue = false;
  for_each_edge(index, a_nodes, b_nodes, [&](const Edge& edge) {
    if (!first) first = edge;
    if (changes_shape(index, edge.producer) || changes_shape(index, edge.consumer)) through_view = edge;
    // Besides its contraction such a group may hold the transpose of an operand, which has the same say.
    if (b.anchor && (edge.consumer == *b.anchor || edge.consumer == b.twin || index.node(edge.consumer).op == Op::kTranspose))
      feeds_anchor = true;
    if (has(b.prologue, edge.consumer)) feeds_prologue = true;
  });
  if (!first) return refuse("they share no value");
  if (std::string forbidden = forbidden_by_branches(index, first->producer, first->consumer); !forbidden.empty())
    return refuse(std::move(forbidden));
  Joined joined = join_forms({index, options, a, b, a_nodes, b_nodes, through_view.value_or(*first), feeds_anchor, feeds_prologue});
  if (joined.refused) return joined;
  joined.group.operators = a.operators + b.operators;
  if (!joined.group.twin) joined.group.twin = a.twin ? a.twin : b.twin;
  if (joined.group.prologue.empty()) {
    const Group& holder = a.prologue.empty() ? b : a;
    joined.group.prologue = holder.prologue;
    joined.group.prologue_decision = holder.prologue_decision;
  }
  joined.group.most_operators = stricter(a.most_operators, b.most_operators);
  joined.group.pattern = a.pattern != FusionPatternType::kSingle ? a.pattern : b.pattern;
  if (joined.group.operators > options.max_fusion_ops) {
    return refuse("together " + std::to_string(joined.group.operators) + " operators, and the limit is " +
                  std::to_string(options.max_fusion_ops));
  }
  if (auto refused = too_many_operators(options, joined.group.operators)) return refuse(*std::move(refused));
  if (const int most = joined.group.most_operators; most > 0 && joined.group.operators > most) {
    return refuse("together " + std::to_string(joined.group.operators) +
                  " operators, and one of them is annotated Fusible with at most " + std::to_string(most));
  }
  return joined;
}

}  // namespace fuselab
