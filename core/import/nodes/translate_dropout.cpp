// SPDX-License-Identifier: Apache-2.0
// Dropout: nothing at inference; while training, a mask that depends on the seed and on where an element stands, and on nothing
// else, so that it is the same on every device and has no state. ONNX leaves open which generator makes it; without a seed it is 0.
#include <cmath>

#include "core/import/compositions/positions.h"
#include "core/import/nodes/operators.h"

namespace fuselab::onnx {
namespace {

using Term = Composition::Term;

// The largest prime below 2^26 one less than which is no multiple of 3: cubing permutes the numbers below it, and the product of
// two of them is exact in i64 and in a double.
constexpr std::int64_t kPrime = 67'108'859;
constexpr std::int64_t kStride = 16'807;

Term modulo_prime(Composition& graph, Term x) {
  return graph.apply(Op::kMod, {x, graph.number(static_cast<double>(kPrime), DType::kI64)});
}

Term cubed(Composition& graph, Term x) {
  return modulo_prime(graph, graph.apply(Op::kMul, {modulo_prime(graph, graph.apply(Op::kMul, {x, x})), x}));
}

// A number below kPrime for each element.
Term random_numbers(Composition& graph, const Shape& shape, std::int64_t seed) {
  const auto i64 = [&](std::int64_t number) { return graph.number(static_cast<double>(number), DType::kI64); };
  Term number = i64(((seed % kPrime) + kPrime) % kPrime);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const Term position = positions_along(graph, shape[axis].extent(), axis, shape.size());
    const Term apart = graph.apply(Op::kAdd, {graph.apply(Op::kMul, {number, i64(kStride)}), position});
    number = cubed(graph, modulo_prime(graph, graph.apply(Op::kAdd, {apart, i64(1)})));
  }
  return cubed(graph, modulo_prime(graph, graph.apply(Op::kAdd, {number, i64(kStride)})));
}

Result<Translated> train(NodeImport& node, double ratio) {
  const TensorType type = node.type(0);
  Composition graph(node, type);
  if (!is_concrete(type.shape)) {
    graph.fail("its extents are not known");
    return graph.finish(graph.operand(0));
  }
  const auto dropped = static_cast<std::int64_t>(std::llround(ratio * static_cast<double>(kPrime)));
  const Term numbers = random_numbers(graph, type.shape, node.integer("seed", 0));
  const Term kept = graph.apply(Op::kGreaterOrEqual, {numbers, graph.number(static_cast<double>(dropped), DType::kI64)});
  const Term larger = graph.apply(Op::kMul, {graph.operand(0), graph.number(ratio < 1 ? 1 / (1 - ratio) : 0, type.dtype)});
  const Term result = graph.apply(Op::kWhere, {kept, larger, graph.number(0, type.dtype)});
  return node.uses_output(1) ? graph.finish({result, kept}) : graph.finish(result);
}

// At inference nothing is dropped.
Result<Translated> keep_all(NodeImport& node) {
  if (!node.uses_output(1)) return node.emit(Op::kIdentity, {node.value(0)}, {});
  Composition graph(node, node.type(0));
  const Term all = graph.operand(0);
  if (!is_concrete(node.type(0).shape)) {
    graph.fail("its mask is read, and its extents are not known");
    return graph.finish(all);
  }
  const Term mask = graph.apply(Op::kExpand, {graph.number(1, DType::kBool)}, {{"shape", extents_of(node.type(0).shape)}});
  return graph.finish({all, mask});
}

Result<Translated> translate_dropout(NodeImport& node) {
  const auto known = [&](std::size_t i) { return node.known(i) != nullptr ? node.known(i)->scalar() : std::nullopt; };
  if (node.opset() < 7 && node.integer("is_test", 0) == 0) return Translated::opaque("it is training");
  if (node.opset() < 10 && node.uses_output(1)) return Translated::opaque("its mask is read");  // of the operand's type then
  const auto training = node.has_input(2) ? known(2) : std::optional<double>(0);
  if (!training) return Translated::opaque("it may be training");
  if (*training == 0) return keep_all(node);
  const auto ratio = node.has_input(1) ? known(1) : std::optional<double>(0.5);
  if (!ratio) return Translated::opaque("how much it drops is computed");
  if (!(*ratio >= 0 && *ratio <= 1)) return invalid_argument("drops " + shown(std::to_string(*ratio)) + " of its elements");
  return train(node, *ratio);
}

}  // namespace

Rows dropout_rows() {
  static constexpr OperatorRow kRows[] = {
      {"Dropout", translate_dropout, "consumed_inputs:I@1-5 is_test:i@1-6 ratio:f@1-11 seed:i@12-", Operands::gaps_beyond(1)},
  };
  return kRows;
}

}  // namespace fuselab::onnx
