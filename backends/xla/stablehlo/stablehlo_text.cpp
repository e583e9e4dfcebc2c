// SPDX-License-Identifier: Apache-2.0
#include "backends/xla/stablehlo/stablehlo_text.h"

#include <map>

#include "backends/xla/stablehlo/lowering.h"

namespace fuselab::xla {
namespace {

struct Writer {
  Op op;
  HloResults (*write)(const HloCall&);
  std::string_view name = {};
};
constexpr Writer kWriters[] = {
    {Op::kNeg, lower_unary, "negate"},
    {Op::kAbs, lower_unary, "abs"},
    {Op::kExp, lower_unary, "exponential"},
    {Op::kLog, lower_unary, "log"},
    {Op::kSqrt, lower_unary, "sqrt"},
    {Op::kErf, lower_unary, "chlo.erf"},
    {Op::kTanh, lower_unary, "tanh"},
    {Op::kSigmoid, lower_unary, "logistic"},
    {Op::kSin, lower_unary, "sine"},
    {Op::kCos, lower_unary, "cosine"},
    {Op::kFloor, lower_unary, "floor"},
    {Op::kCeil, lower_unary, "ceil"},
    {Op::kRound, lower_unary, "round_nearest_even"},
    {Op::kSign, lower_unary, "sign"},
    {Op::kAdd, lower_folded, "add"},
    {Op::kSub, lower_folded, "subtract"},
    {Op::kMul, lower_folded, "multiply"},
    {Op::kDiv, lower_folded, "divide"},
    {Op::kMin, lower_folded, "minimum"},
    {Op::kMax, lower_folded, "maximum"},
    {Op::kEqual, lower_comparison, "EQ"},
    {Op::kLess, lower_comparison, "LT"},
    {Op::kGreater, lower_comparison, "GT"},
    {Op::kLessOrEqual, lower_comparison, "LE"},
    {Op::kGreaterOrEqual, lower_comparison, "GE"},
    {Op::kIdentity, lower_elementwise},
    {Op::kReciprocal, lower_elementwise},
    {Op::kRelu, lower_elementwise},
    {Op::kLeakyRelu, lower_elementwise},
    {Op::kGelu, lower_elementwise},
    {Op::kSwish, lower_elementwise},
    {Op::kClip, lower_elementwise},
    {Op::kCast, lower_elementwise},
    {Op::kIsNaN, lower_elementwise},
    {Op::kIsInf, lower_elementwise},
    {Op::kWhere, lower_elementwise},
    {Op::kReduceSum, lower_rows},
    {Op::kReduceMean, lower_rows},
    {Op::kReduceMax, lower_rows},
    {Op::kReduceProd, lower_rows},
    {Op::kSoftmax, lower_rows},
    {Op::kLogSoftmax, lower_rows},
    {Op::kLayerNormalization, lower_rows},
    {Op::kRMSNormalization, lower_rows},
    {Op::kMatMul, lower_contraction},
    {Op::kGemm, lower_contraction},
    {Op::kAttention, lower_contraction},
    {Op::kConv, lower_windows},
    {Op::kBatchNormalization, lower_windows},
    {Op::kMaxPool, lower_windows},
    {Op::kAveragePool, lower_windows},
    {Op::kGlobalAveragePool, lower_windows},
    {Op::kRotaryEmbedding, lower_movement},
    {Op::kTranspose, lower_movement},
    {Op::kReshape, lower_movement},
    {Op::kFlatten, lower_movement},
    {Op::kUnsqueeze, lower_movement},
    {Op::kSqueeze, lower_movement},
    {Op::kExpand, lower_movement},
    {Op::kConcat, lower_movement},
    {Op::kSlice, lower_movement},
    {Op::kSplit, lower_movement},
    {Op::kGather, lower_movement},
    {Op::kTrilu, lower_movement},
};

HloResults lower(HloCall& call) {
  if (call.node.op == Op::kConstant) {
    return std::vector{call.out.constant(call.node.attributes.real("value", 0), call.dtype())};
  }
  if (is_square(call.graph, call.node)) return std::vector{call.out.binary("multiply", call.in[0], call.in[0])};
  for (const Writer& writer : kWriters) {
    if (writer.op != call.node.op) continue;
    call.operation = writer.name;
    return writer.write(call);
  }
  return unwritten(call, "has no writer");
}

}  // namespace

Extents HloCall::extents(std::size_t result) const {
  return extents_of(graph.type(node.outputs[result]).shape);
}

std::vector<Op> written_operators() {
  std::vector<Op> operators;
  for (const Writer& writer : kWriters) operators.push_back(writer.op);
  return operators;
}

bool is_square(const Graph& graph, const Node& node) {
  if (node.op != Op::kPow) return false;
  const auto& maker = graph.value(node.inputs[1]).producer;
  const bool is_constant = maker && graph.node(*maker).op == Op::kConstant && graph.type(node.inputs[1]).shape.empty();
  return is_constant && graph.node(*maker).attributes.real("value", 0) == 2;
}

Error unwritten(const HloCall& call, const std::string& what) {
  return {ErrorCode::kUnsupported, std::string(name_of(call.node.op)) + " " + what + ": it is not written in StableHLO"};
}

Result<std::string> stablehlo_text(const Graph& graph) {
  HloBuilder builder;
  std::map<ValueId, HloValue> values;
  std::string parameters, results, returned;
  int given = 0;  // outputs whose memory is an argument
  for (const ValueId input : graph.inputs()) {
    const TensorType& type = graph.type(input);
    const std::string name = "%arg" + std::to_string(values.size());
    // In its shape: of a vector XLA would compute an index per dimension for every element, without vectors.
    const HloValue whole{name, type.dtype, extents_of(type.shape)};
    parameters += (parameters.empty() ? "" : ", ") + name + ": " + hlo_type(whole);
    values.emplace(input, whole);
  }
  for (const Node& node : graph.nodes()) {
    HloCall call{builder, graph, node, {}, {}};
    for (const ValueId input : node.inputs) call.in.push_back(values.at(input));
    FL_TRY(const std::vector<HloValue> made, lower(call));
    for (std::size_t i = 0; i < node.outputs.size(); ++i) values.emplace(node.outputs[i], made.at(i));
  }
  for (const ValueId output : graph.outputs()) {
    const HloValue& whole = values.at(output);
    parameters += (parameters.empty() ? "%out" : ", %out") + std::to_string(given) + ": " + hlo_type(whole) +
                  " {tf.aliasing_output = " + std::to_string(given) + " : i32}";
    ++given;
    results += (results.empty() ? "" : ", ") + hlo_type(whole);
    returned += (returned.empty() ? "" : ", ") + whole.name;
  }
  return "module @fuselab {\n  func.func public @main(" + parameters + ") -> (" + results + ") {\n" + builder.body() +
         "    return " + returned + " : " + results + "\n  }\n}\n";
}

}  // namespace fuselab::xla
