// SPDX-License-Identifier: Apache-2.0
#include "core/reference/operators/reference_attention.h"
#include "core/reference/operators/reference_matmul.h"
#include "core/reference/operators/reference_movement.h"
#include "core/reference/operators/reference_windows.h"
#include "core/reference/special_inputs.h"

namespace fuselab::reference {
namespace {

using Positions = std::vector<std::int64_t>;

// One demand: a node's output, and which elements of it.
struct Ask {
  const Graph& graph;
  const Node& node;
  std::size_t output_index;
  std::span<const std::int64_t> positions;
  bool of_inputs;

  std::vector<std::int64_t> extents(std::size_t input) const { return extents_of(graph.type(node.inputs[input]).shape); }
  bool computes(std::size_t input) const {
    return input < node.inputs.size() && is_asked_for(graph, node.inputs[input], of_inputs);
  }
  std::vector<std::int64_t> output() const { return extents_of(graph.type(node.outputs[output_index]).shape); }
};

void add_range(Positions& to, std::int64_t base, std::int64_t count, std::int64_t stride = 1) {
  for (std::int64_t i = 0; i < count; ++i) to.push_back(base + i * stride);
}

std::vector<Needed> broadcast_demand(const Ask& ask) {
  std::vector<Needed> demands;
  const auto output = ask.output();
  for (std::size_t i = 0; i < ask.node.inputs.size(); ++i) {
    const BroadcastIndex index(output, ask.extents(i));
    Positions wanted;
    for (const std::int64_t at : ask.positions) wanted.push_back(index(at));
    demands.push_back(Needed::only(std::move(wanted)));
  }
  return demands;
}

std::vector<Needed> moved_demand(const Ask& ask) {
  std::vector<Positions> wanted(ask.node.inputs.size());
  const SourceMap map = source_map(ask.graph, ask.node, ask.output_index);
  for (const std::int64_t at : ask.positions) {
    const Source source = map(at);
    if (source.exists()) wanted[source.input].push_back(source.at);
  }
  std::vector<Needed> demands;
  for (Positions& positions : wanted) demands.push_back(Needed::only(std::move(positions)));
  return demands;
}

// Whole rows along the given axes; the small operands (scale, bias) whole.
std::vector<Needed> row_demand(const Ask& ask, const std::vector<bool>& along, bool output_is_rows) {
  const Rows rows(ask.extents(0), along);
  Positions wanted_rows;
  for (const std::int64_t at : ask.positions) wanted_rows.push_back(output_is_rows ? at : rows.row_of(at));
  const Needed unique = Needed::only(std::move(wanted_rows));
  if (unique.count(rows.count()) == rows.count()) return std::vector<Needed>(ask.node.inputs.size(), Needed::everything());
  Positions wanted;
  for (const std::int64_t row : unique.positions()) {
    const std::int64_t base = rows.base(row);
    for (std::int64_t i = 0; i < rows.length(); ++i) wanted.push_back(base + rows.offset(i));
  }
  std::vector<Needed> demands(ask.node.inputs.size(), Needed::everything());
  demands[0] = Needed::only(std::move(wanted));
  return demands;
}

std::vector<bool> axes_from(std::size_t rank, std::size_t first, std::size_t end) {
  std::vector<bool> along(rank, false);
  for (std::size_t i = first; i < end; ++i) along[i] = true;
  return along;
}

std::vector<Needed> product_demand(const Ask& ask) {
  const MatrixProduct p = matrix_product_of(ask.node, ask.extents(0), ask.extents(1));
  Positions rows, columns;  // of all batches, numbered through
  for (const std::int64_t at : ask.positions) {
    rows.push_back(at / p.columns);
    columns.push_back(at / p.per_batch() * p.columns + at % p.columns);
  }
  Positions a, b;
  const Needed unique_rows = Needed::only(ask.computes(0) ? std::move(rows) : Positions());
  for (const std::int64_t row : unique_rows.positions()) {
    add_range(a, p.a_base[static_cast<std::size_t>(row / p.rows)] + row % p.rows * p.a_row, p.depth, p.a_depth);
  }
  const Needed unique_columns = Needed::only(ask.computes(1) ? std::move(columns) : Positions());
  for (const std::int64_t column : unique_columns.positions()) {
    add_range(b, p.b_base[static_cast<std::size_t>(column / p.columns)] + column % p.columns * p.b_column, p.depth, p.b_depth);
  }
  std::vector<Needed> demands(ask.node.inputs.size(), Needed::everything());
  demands[0] = Needed::only(std::move(a));
  demands[1] = Needed::only(std::move(b));
  return demands;
}

std::vector<Needed> attention_demand(const Ask& ask) {
  const AttentionShape shape = attention_shape(ask.node, ask.extents(0), ask.extents(1), ask.extents(2));
  Positions queries;
  std::int64_t last = -1;
  for (const std::int64_t at : ask.positions) {
    if (at / shape.width == last) continue;
    last = at / shape.width;
    add_range(queries, shape.query_base(shape.row_of(at)), shape.depth);
  }
  std::vector<Needed> demands(ask.node.inputs.size(), Needed::everything());
  demands[0] = Needed::only(std::move(queries));
  return demands;
}

std::vector<Needed> window_demand(const Ask& ask) {
  std::vector<Needed> demands(ask.node.inputs.size(), Needed::everything());
  if (!ask.computes(0)) return demands;
  const bool is_conv = ask.node.op == Op::kConv;
  const auto input = ask.extents(0);
  const auto output = ask.output();
  const auto weights = is_conv ? ask.extents(1) : std::vector<std::int64_t>();
  const Windows windows = windows_of(ask.node, input, output, kernel_of(ask.node, weights));
  const std::int64_t channels = is_conv ? weights[1] : 1;
  const std::int64_t per_group = output[1] / (is_conv ? ask.node.attributes.integer("group", 1) : output[1]);
  std::vector<bool> seen(static_cast<std::size_t>(product_of(input)));  // windows overlap: a list of all would be long
  for (const std::int64_t at : ask.positions) {
    const std::int64_t plane = at / windows.output_plane();
    const std::int64_t first = plane / output[1] * input[1] + plane % output[1] / per_group * channels;
    for (std::int64_t channel = first; channel < first + channels; ++channel) {
      windows.for_each_tap(at % windows.output_plane(), [&](std::int64_t, std::int64_t source) {
        seen[static_cast<std::size_t>(channel * windows.input_plane() + source)] = true;
      });
    }
  }
  Positions wanted;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i]) wanted.push_back(static_cast<std::int64_t>(i));
  }
  demands[0] = Needed::only(std::move(wanted));
  return demands;
}

std::vector<Needed> rotary_demand(const Ask& ask) {
  const RotaryShape shape = rotary_shape(ask.node, ask.extents(0), ask.extents(1));
  Positions wanted;
  for (const std::int64_t at : ask.positions) {
    wanted.push_back(at);
    wanted.push_back(shape.place_of(at).partner);
  }
  std::vector<Needed> demands(ask.node.inputs.size(), Needed::everything());
  demands[0] = Needed::only(std::move(wanted));
  return demands;
}

std::vector<Needed> channel_demand(const Ask& ask) {
  std::vector<Needed> demands(ask.node.inputs.size(), Needed::everything());
  demands[0] = Needed::only({ask.positions.begin(), ask.positions.end()});
  return demands;
}

std::vector<Needed> reduce_demand(const Ask& ask) {
  const std::size_t rank = ask.extents(0).size();
  if (ask.node.op == Op::kGlobalAveragePool) return row_demand(ask, axes_from(rank, 2, rank), true);
  const auto axes = ask.node.attributes.integers("axes");
  const bool keep_all = axes.empty() && ask.node.attributes.integer("noop_with_empty_axes", 0) != 0;
  std::vector<bool> along(rank, axes.empty() && !keep_all);
  for (const std::int64_t axis : axes) along[axis_of(axis, rank)] = true;
  return row_demand(ask, along, true);
}

}  // namespace

// A graph input is there already, whatever is asked of it.
bool is_asked_for(const Graph& graph, ValueId value, bool of_inputs) {
  return graph.value(value).origin == ValueOrigin::kNode || (of_inputs && depends_on_pattern(graph, value));
}

std::vector<Needed> demand_of(const Graph& graph, const Node& node, std::size_t output_index, const Needed& needed,
                              bool of_inputs) {
  if (needed.all()) return std::vector<Needed>(node.inputs.size(), Needed::everything());
  const Ask ask{graph, node, output_index, needed.positions(), of_inputs};
  bool any = false;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) any = any || ask.computes(i);
  if (!any) return std::vector<Needed>(node.inputs.size());
  if (is_elementwise(node.op)) return broadcast_demand(ask);
  const std::size_t rank = node.inputs.empty() ? 0 : graph.type(node.inputs[0]).shape.size();
  switch (node.op) {
    case Op::kSoftmax:
    case Op::kLogSoftmax:
    case Op::kHardmax:
    case Op::kCumSum: {
      const std::size_t axis = axis_of(node.attributes.integer("axis", -1), rank);
      return row_demand(ask, axes_from(rank, axis, axis + 1), false);
    }
    case Op::kArgMax:
    case Op::kArgMin: {
      const std::size_t axis = axis_of(node.attributes.integer("axis", 0), rank);
      return row_demand(ask, axes_from(rank, axis, axis + 1), true);
    }
    case Op::kLayerNormalization:
    case Op::kRMSNormalization:
      return row_demand(ask, axes_from(rank, axis_of(node.attributes.integer("axis", -1), rank), rank), false);
    case Op::kReduceSum:
    case Op::kReduceMean:
    case Op::kReduceMax:
    case Op::kReduceProd:
    case Op::kGlobalAveragePool: return reduce_demand(ask);
    case Op::kMatMul:
    case Op::kGemm: return product_demand(ask);
    case Op::kAttention: return attention_demand(ask);
    case Op::kConv:
    case Op::kMaxPool:
    case Op::kAveragePool: return window_demand(ask);
    case Op::kBatchNormalization: return channel_demand(ask);
    case Op::kRotaryEmbedding: return rotary_demand(ask);
    case Op::kTopK: return {Needed::everything()};
    // A step needs the state that all steps before it made.
    case Op::kLSTM:
    case Op::kGRU:
    case Op::kRNN:
    // A loss reads every row for its mean, and what a Gather reads is known only once its indices are.
    case Op::kSoftmaxCrossEntropyLoss:
    case Op::kNegativeLogLikelihoodLoss:
    case Op::kGatherElements:
    case Op::kGatherND:
    case Op::kScatterElements:
    case Op::kScatterND:
    case Op::kGather: return std::vector<Needed>(node.inputs.size(), Needed::everything());
    default: return node.inputs.empty() ? std::vector<Needed>() : moved_demand(ask);
  }
}

std::int64_t terms_per_output(const Graph& graph, const Node& node) {
  const auto extents = [&](std::size_t i) { return extents_of(graph.type(node.inputs[i]).shape); };
  switch (node.op) {
    case Op::kMatMul:
    case Op::kGemm: return matrix_product_of(node, extents(0), extents(1)).depth;
    case Op::kConv: {
      const auto filter = extents(1);
      return product_of(std::span(filter).subspan(1));
    }
    case Op::kAttention: {
      const AttentionShape shape = attention_shape(node, extents(0), extents(1), extents(2));
      return shape.keys * (shape.depth + shape.width) / std::max<std::int64_t>(shape.width, 1);
    }
    default: return 0;
  }
}

}  // namespace fuselab::reference
