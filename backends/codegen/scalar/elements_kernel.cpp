// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/scalar/elements_kernel.h"

#include <algorithm>

#include "backends/codegen/rows/row_address.h"
#include "backends/codegen/scalar/elements_family.h"

namespace fuselab::codegen {
namespace {

constexpr std::size_t kMostNodes = 64;
constexpr double kMostTurns = 2e9;  // about five seconds: CumSum took 2.6 ns a turn on two cores, and a launch may last ten

// Returns whether an element is made of more than the operands' elements at its own place.
bool reaches(Op op) {
  return !is_elementwise(op) && !is_view(op) && op != Op::kConstant;
}

// Returns whether the operator reads where a number from memory says, out of a tensor without any element.
bool names_nothing(const Graph& graph, const Node& node) {
  const bool by_position = node.op == Op::kRotaryEmbedding && node.inputs.size() > 3;
  const bool by_label = node.op == Op::kSoftmaxCrossEntropyLoss || node.op == Op::kNegativeLogLikelihoodLoss;
  if (info_of(node.op).access != AccessPattern::kGather && !by_position && !by_label) return false;
  return element_count(graph.type(node.inputs[by_position ? 1 : 0]).shape).value() == 0;
}

Status types_are_written(const Graph& graph) {
  for (const Value& value : graph.values()) {
    const int bits = bits_of(value.type.dtype);
    const bool is_small_float = is_floating(value.type.dtype) && bits == 8;
    if (bits < 8 || is_small_float) {
      return Error{ErrorCode::kUnsupported, std::string(name_of(value.type.dtype)) + " is not generated"};
    }
    FL_TRY_VOID(size_of(value.type));  // more elements than a number can count
  }
  return Status();
}

}  // namespace

Status elements_take(const Graph& graph) {
  if (!graph.is_concrete()) return Error{ErrorCode::kUnsupported, "the shape still has symbols: bind them with --shape"};
  if (graph.nodes().empty()) return Error{ErrorCode::kUnsupported, "the graph computes nothing"};
  if (graph.nodes().size() > kMostNodes) return Error{ErrorCode::kUnsupported, "too many operators for one kernel"};
  const Node* reaching = nullptr;
  for (const Node& node : graph.nodes()) {
    if (!elements_cover(node.op) && node.op != Op::kConstant) return unsupported(node, "is not generated");
    if (!reaches(node.op)) continue;
    if (names_nothing(graph, node)) return unsupported(node, "of an axis without entries is not generated");
    if (reaching != nullptr)
      return unsupported(node, "behind or beside " + std::string(name_of(reaching->op)) + " is not generated");
    reaching = &node;
  }
  FL_TRY_VOID(types_are_written(graph));
  for (const ValueId output : graph.outputs()) {
    if (!graph.value(output).producer) return Error{ErrorCode::kUnsupported, "an output is an input passed through"};
    if (element_count(graph.type(output).shape).value() == 0) return Error{ErrorCode::kUnsupported, "an empty result"};
  }
  return Status();
}

void write_element(Elements& elements, const Function& function, std::size_t output, const Place& place, Body& body) {
  const Graph& graph = elements.graph();
  const ValueId id = graph.outputs()[output];
  const ExprPtr value = elements.value(id, place, body);
  const ExprPtr at = flat_of(place, extents_of(graph.type(id).shape));
  store_element(body, function.parameters[graph.inputs().size() + output], at, value);
}

std::int64_t most_elements(const Graph& graph) {
  std::int64_t most = 0;
  for (const ValueId output : graph.outputs()) most = std::max(most, element_count(graph.type(output).shape).value());
  return most;
}

Status elements_written(const Elements& elements, std::int64_t times) {
  if (elements.most_turns() * static_cast<double>(times) > kMostTurns) {
    return Error{ErrorCode::kUnsupported, "would take too long one element at a time"};
  }
  if (!elements.refusal().empty()) return Error{ErrorCode::kUnsupported, elements.refusal()};
  return Status();
}

}  // namespace fuselab::codegen
