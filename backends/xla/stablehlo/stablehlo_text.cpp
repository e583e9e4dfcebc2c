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
  int given = 0;  // outputs whose memory is an argument
  for (const ValueId input : graph.inputs()) {
    const TensorType& type = graph.type(input);
    const std::string name = "%arg" + std::to_string(values.size());
    // In its shape: of a vector XLA would compute an index per dimension for every element, without vectors.
    const HloValue whole{name, type.dtype, extents_of(type)};
    parameters += (parameters.empty() ? "" : ", ") + name + ": " + hlo_type(whole);
    values.emplace(input, whole);
  }
  for (const Node& node : graph.nodes()) {
    HloCall call{builder, graph, node, {}};
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
