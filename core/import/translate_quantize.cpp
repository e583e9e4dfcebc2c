// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "core/graph/small_float.h"
#include "core/import/composed_operators.h"
#include "core/import/composition.h"

namespace fuselab::onnx {
namespace {

using enum AttributeKind;
using Term = Composition::Term;

bool is_quantised(DType dtype) {
  return dtype == DType::kI8 || dtype == DType::kU8 || dtype == DType::kI16 || dtype == DType::kU16;
}

// One number for all of x, or one for each position along an axis, as an operand that broadcasts to x. ONNX reads the axis only
// where there are several numbers.
Result<Term> spread_over(Composition& graph, Term parameter, const TensorType& x, std::int64_t axis) {
  const Shape& shape = graph.type(parameter).shape;
  const auto rank = static_cast<std::int64_t>(x.shape.size());
  if (shape.empty() || shape == Shape{Dim(1)}) return shape.empty() ? parameter : graph.reshape(parameter, {});
  if (shape.size() != 1) {
    graph.fail("its scale is given by blocks");
    return parameter;
  }
  if (axis < -rank || axis >= rank)
    return invalid_argument("axis " + std::to_string(axis) + " is outside rank " + std::to_string(rank));
  const std::int64_t along = axis < 0 ? axis + rank : axis;
  const Dim &given = shape.front(), &extent = x.shape[static_cast<std::size_t>(along)];
  if (!given.is_symbol() && !extent.is_symbol() && given != extent) {
    return invalid_argument("has " + given.text() + " scales or zero points for the " + extent.text() + " positions of axis " +
                            std::to_string(axis));
  }
  std::vector<std::int64_t> behind;
  for (std::int64_t i = 1; i < rank - along; ++i) behind.push_back(i);
  return graph.unsqueeze(parameter, behind);
}

Term cast(Composition& graph, Term x, DType to) {
  return graph.type(x).dtype == to ? x : graph.apply(Op::kCast, {x}, {{"to", std::string(name_of(to))}});
}

// round(x / scale) + zero point, as far as the type reaches.
Term quantised(Composition& graph, Term x, Term scale, std::optional<Term> zero, DType to) {
  const DType dtype = graph.type(x).dtype;
  Term steps = graph.apply(Op::kRound, {graph.apply(Op::kDiv, {x, scale})});
  if (zero) steps = graph.apply(Op::kAdd, {steps, cast(graph, *zero, dtype)});
  return cast(graph, graph.apply(Op::kClip, {steps}, {{"min", detail::lowest_of(to)}, {"max", detail::largest_of(to)}}), to);
}

constexpr AttributeInfo kAxisAttributes[] = {{"axis", kInteger, false, {}},
                                             {"saturate", kInteger, false, {}},
                                             {"block_size", kInteger, false, {}},
                                             {"output_dtype", kInteger, false, {}},
                                             {"precision", kInteger, false, {}}};

// What only newer operator sets have and few models use; "" where there is nothing of it.
std::string beyond_us(NodeImport& node) {
  if (node.integer("block_size", 0) != 0) return "its scale is given by blocks";
  if (node.integer("precision", 0) != 0) return "it divides in a type of its own";
  return node.type(0).dtype == node.type(1).dtype || node.op() == "DequantizeLinear"
             ? ""
             : "its scale is of another type than its input";
}

}  // namespace

Result<Translated> translate_quantize(NodeImport& node) {
  std::string unknown;
  node.attributes(kAxisAttributes, unknown);
  if (!unknown.empty()) return Translated::unknown_attribute(unknown);
  if (const std::string because = beyond_us(node); !because.empty()) return Translated::opaque(because);
  const std::int64_t code = node.integer("output_dtype", 0);  // 0: the file does not say
  const auto asked = dtype_of_code(code);
  if (code != 0 && !asked) return Translated::opaque("it quantises to ONNX element type " + std::to_string(code));
  if (asked && node.has_input(2) && node.type(2).dtype != *asked)
    return Translated::opaque("its zero point is of another type than its result");
  const DType to = node.has_input(2) ? node.type(2).dtype : asked.value_or(DType::kU8);
  if (!is_quantised(to)) return Translated::opaque("it quantises to " + std::string(name_of(to)));
  const TensorType& x = node.type(0);
  if (!is_floating(x.dtype)) return Translated::opaque("it takes " + std::string(name_of(x.dtype)));
  Composition graph(node, TensorType{to, x.shape});
  const std::int64_t axis = node.integer("axis", 1);
  FL_TRY(const Term scale, spread_over(graph, graph.operand(1), x, axis));
  std::optional<Term> zero;
  if (node.has_input(2)) {
    FL_TRY(zero, spread_over(graph, graph.operand(2), x, axis));
  }
  return graph.finish(quantised(graph, graph.operand(0), scale, zero, to));
}

Result<Translated> translate_dequantize(NodeImport& node) {
  std::string unknown;
  node.attributes(kAxisAttributes, unknown);
  if (!unknown.empty()) return Translated::unknown_attribute(unknown);
  if (const std::string because = beyond_us(node); !because.empty()) return Translated::opaque(because);
  const TensorType& x = node.type(0);
  const DType dtype = node.type(1).dtype;
  if (!is_quantised(x.dtype) && x.dtype != DType::kI32) return Translated::opaque("it takes " + std::string(name_of(x.dtype)));
  if (node.integer("output_dtype", 0) != 0 && dtype_of_code(node.integer("output_dtype", 0)) != dtype)
    return Translated::opaque("its result is of another type than its scale");
  Composition graph(node, TensorType{dtype, x.shape});
  const std::int64_t axis = node.integer("axis", 1);
  Term number = cast(graph, graph.operand(0), dtype);
  if (node.has_input(2)) {
    FL_TRY(const Term zero, spread_over(graph, graph.operand(2), x, axis));
    number = graph.apply(Op::kSub, {number, cast(graph, zero, dtype)});
  }
  FL_TRY(const Term scale, spread_over(graph, graph.operand(1), x, axis));
  return graph.finish(graph.apply(Op::kMul, {number, scale}));
}

// The scale and the zero point are those that u8 reaches from the least to the largest number with, zero among them.
Result<Translated> translate_dynamic_quantize(NodeImport& node) {
  const TensorType& x = node.type(0);
  if (x.dtype != DType::kF32) return Translated::opaque("it takes " + std::string(name_of(x.dtype)));
  constexpr double kLargest = 255;
  Composition graph(node, TensorType{DType::kU8, x.shape});
  const auto number = [&](double value) { return graph.number(value, DType::kF32); };
  const Attributes all{{"keepdims", std::int64_t{0}}};
  const Term input = graph.operand(0);
  const Term most = graph.apply(Op::kMax, {graph.apply(Op::kReduceMax, {input}, all), number(0)});
  const Term mirrored = graph.apply(Op::kReduceMax, {graph.apply(Op::kNeg, {input})}, all);
  const Term least = graph.apply(Op::kNeg, {graph.apply(Op::kMax, {mirrored, number(0)})});
  const Term scale = graph.apply(Op::kDiv, {graph.apply(Op::kSub, {most, least}), number(kLargest)});
  const Term start = graph.apply(Op::kNeg, {graph.apply(Op::kDiv, {least, scale})});
  const Term zero = graph.apply(Op::kRound, {graph.apply(Op::kClip, {start}, {{"min", 0.0}, {"max", kLargest}})});
  const Term zero_point = cast(graph, zero, DType::kU8);
  const Term steps = graph.apply(Op::kAdd, {graph.apply(Op::kRound, {graph.apply(Op::kDiv, {input, scale})}), zero});
  const Term y = cast(graph, graph.apply(Op::kClip, {steps}, {{"min", 0.0}, {"max", kLargest}}), DType::kU8);
  return graph.finish(std::vector<Term>{y, scale, zero_point});
}

// In whole numbers throughout.
Result<Translated> translate_matmul_integer(NodeImport& node) {
  Composition graph(node);
  const auto centred = [&](std::size_t operand, std::size_t zero_point, bool per_row) {
    const Term wide = cast(graph, graph.operand(operand), DType::kI32);
    if (!node.has_input(zero_point)) return wide;
    Term zero = cast(graph, graph.operand(zero_point), DType::kI32);
    const Shape& shape = graph.type(zero).shape;
    // Of A one for each row, of B one for each column.
    if (per_row && shape.size() == 1 && shape != Shape{Dim(1)}) zero = graph.unsqueeze(zero, {1});
    const Term numbers = graph.apply(Op::kSub, {wide, zero});
    // Broadcasting would else make a larger operand of one row.
    if (graph.fits() && graph.type(numbers).shape != node.type(operand).shape)
      graph.fail("its zero points " + type_text(node.type(zero_point)) + " do not fit " + type_text(node.type(operand)));
    return numbers;
  };
  const Term a = centred(0, 2, true);
  return graph.finish(graph.apply(Op::kMatMul, {a, centred(1, 3, false)}));
}

}  // namespace fuselab::onnx
