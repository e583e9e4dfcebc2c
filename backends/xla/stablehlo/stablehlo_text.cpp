// SPDX-License-Identifier: Apache-2.0
#include "backends/xla/stablehlo/stablehlo_text.h"

#include <map>

#include "backends/xla/stablehlo/lowering.h"
#include "core/graph/op_attributes.h"

namespace fuselab::xla {
namespace {

Extents extents_of(const TensorType& type) {
  Extents extents;
  for (const Dim& dim : type.shape) extents.push_back(dim.extent());
  return extents;
}

std::string vector_type(const TensorType& type) {
  return hlo_type(type.dtype, Extents{product_of(extents_of(type))});
}

HloResults lower(const HloCall& call) {
  if (call.node.op == Op::kConstant) {
    const Attributes& attributes = call.node.attributes;
    return std::vector{call.out.constant(attributes.real("value", 0), call.dtype())};
  }
  switch (call.node.op) {
    case Op::kConv:
    case Op::kMaxPool:
    case Op::kAveragePool:
    case Op::kGlobalAveragePool:
    case Op::kBatchNormalization: return lower_windows(call);
    case Op::kRotaryEmbedding: return lower_movement(call);
    default: break;
  }
  switch (info_of(call.node.op).access) {
    case AccessPattern::kElementWise: return lower_elementwise(call);
    case AccessPattern::kReduction: return lower_rows(call);
    case AccessPattern::kContraction: return lower_contraction(call);
    case AccessPattern::kMovement:
    case AccessPattern::kGather: return lower_movement(call);
    case AccessPattern::kSpatial:
    case AccessPattern::kLeaf:
    case AccessPattern::kOpaque: break;
  }
  return unwritten(call, "has no writer");
}

}  // namespace

Extents HloCall::extents(std::size_t result) const {
  return extents_of(graph.type(node.outputs[result]));
}

Error unwritten(const HloCall& call, const std::string& what) {
  return {ErrorCode::kUnsupported, std::string(name_of(call.node.op)) + " " + what + ": it is not written in StableHLO"};
}

Result<std::string> stablehlo_text(const Graph& graph) {
  HloBuilder builder;
  std::map<ValueId, HloValue> values;
  std::string parameters, results, returned;
  for (const ValueId input : graph.inputs()) {
    const TensorType& type = graph.type(input);
    const std::string name = "%arg" + std::to_string(values.size());
    parameters += (parameters.empty() ? "" : ", ") + name + ": " + vector_type(type);
    const HloValue whole{name, type.dtype, {product_of(extents_of(type))}};
    values.emplace(input, builder.reshape(whole, extents_of(type)));
  }
  for (const Node& node : graph.nodes()) {
    HloCall call{builder, graph, node, {}};
    for (const ValueId input : node.inputs) call.in.push_back(values.at(input));
    FL_TRY(const std::vector<HloValue> made, lower(call));
    for (std::size_t i = 0; i < node.outputs.size(); ++i) values.emplace(node.outputs[i], made.at(i));
  }
  for (const ValueId output : graph.outputs()) {
    const HloValue flat = builder.reshape(values.at(output), {product_of(extents_of(graph.type(output)))});
    results += (results.empty() ? "" : ", ") + hlo_type(flat);
    returned += (returned.empty() ? "" : ", ") + flat.name;
  }
  return "module @fuselab {\n  func.func public @main(" + parameters + ") -> (" + results + ") {\n" + builder.body() +
         "    return " + returned + " : " + results + "\n  }\n}\n";
}

}  // namespace fuselab::xla
