// SPDX-License-Identifier: Apache-2.0
// Products and convolutions of quantised numbers, whose sums are whole numbers and exact.
#include "core/import/compositions/quantised_numbers.h"
#include "core/import/compositions/window_attributes.h"
#include "core/import/nodes/operators.h"
#include "core/ops/op_attributes.h"

namespace fuselab::onnx {
namespace {

using Term = Composition::Term;

bool is_byte(DType dtype) {
  return dtype == DType::kU8 || dtype == DType::kI8;
}

bool has_zero_point(const NodeImport& node, std::size_t operand) {
  return node.has_input(operand) && !is_known_zero(node.known(operand));
}

// Lays a vector of one number for each entry of an axis in front of `behind` axes.
Term laid_out(Composition& graph, Term vector, std::size_t behind) {
  if (!graph.fits() || graph.type(vector).shape.size() != 1) return vector;
  if (graph.type(vector).shape == Shape{Dim(1)}) return graph.reshape(vector, {});
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i < behind; ++i) axes.push_back(static_cast<std::int64_t>(i) + 1);
  return graph.unsqueeze(vector, axes);
}

// An operand less its zero point, in that type. A zero point of several numbers has one for each entry of the axis before the last
// `behind` ones.
Term centred(Composition& graph, const NodeImport& node, std::size_t operand, std::size_t zero_point, std::size_t behind,
             DType to) {
  const Term wide = graph.cast(graph.operand(operand), to);
  if (!has_zero_point(node, zero_point)) return wide;
  const Term zero = laid_out(graph, graph.cast(graph.operand(zero_point), to), behind);
  const Term numbers = graph.apply(Op::kSub, {wide, zero});
  // Broadcasting would else make a larger operand of one row.
  if (graph.fits() && graph.type(numbers).shape != node.type(operand).shape)
    graph.fail("its zero points " + type_text(node.type(zero_point)) + " do not fit " + type_text(node.type(operand)));
  return numbers;
}

// A may have one zero point for each row, B one for each column.
Term product(Composition& graph, const NodeImport& node, std::size_t a, std::size_t a_zero, std::size_t b, std::size_t b_zero) {
  const Term left = centred(graph, node, a, a_zero, 1, DType::kI32);
  return graph.apply(Op::kMatMul, {left, centred(graph, node, b, b_zero, 0, DType::kI32)});
}

// The most that a number less its zero point can be away from 0.
double largest_of(const NodeImport& node, std::size_t operand, std::size_t zero_point) {
  return node.type(operand).dtype == DType::kI8 && !has_zero_point(node, zero_point) ? 128 : 255;
}

// A convolution in whole numbers, of i32. It is computed in a floating type that holds each of its sums exactly.
struct Filtering {
  std::size_t x, x_zero, w, w_zero;
};
Result<Term> convolution(Composition& graph, const NodeImport& node, const Filtering& of) {
  Attributes attributes;
  FL_TRY(std::string because, read_window(node, attributes_of(Op::kConv), attributes, of.w));
  const Shape& filter = node.type(of.w).shape;
  if (has_zero_point(node, of.x_zero)) {
    const Shape& zero = node.type(of.x_zero).shape;
    if (zero.size() > 1 || (zero.size() == 1 && zero.front() != Dim(1))) because = "its input has more than one zero point";
  }
  if (!is_byte(node.type(of.x).dtype) || !is_byte(node.type(of.w).dtype)) because = "it takes other numbers than bytes";
  if (filter.size() < 3 || !is_concrete(filter)) because = "the extents of its filter " + type_text(node.type(of.w)) + " are open";
  if (!because.empty()) {
    graph.fail(std::move(because));
    return graph.operand(of.x);
  }
  double terms = 1;
  for (std::size_t i = 1; i < filter.size(); ++i) terms *= static_cast<double>(filter[i].extent());
  constexpr double kExact = 1 << 24;  // whole numbers of f32
  const double largest = terms * largest_of(node, of.x, of.x_zero) * largest_of(node, of.w, of.w_zero);
  const DType dtype = largest <= kExact ? DType::kF32 : DType::kF64;
  const Term x = centred(graph, node, of.x, of.x_zero, 0, dtype);
  const Term w = centred(graph, node, of.w, of.w_zero, filter.size() - 1, dtype);
  // A library may sum by transforms, close to whole numbers.
  return graph.cast(graph.apply(Op::kRound, {graph.apply(Op::kConv, {x, w}, attributes)}), DType::kI32);
}

// Sums of i32 times left · right / result, rounded, plus the zero point, as many as the result's type holds. These four are
// operands; a right scale of several numbers has one for each entry of the axis before the last `behind` ones.
struct Scales {
  std::size_t left, right, result, zero;
};
Term requantised(Composition& graph, const NodeImport& node, Term sums, const Scales& by, std::size_t left_behind,
                 std::size_t behind) {
  for (const std::size_t scale : {by.left, by.right, by.result}) {
    if (node.type(scale).dtype != DType::kF32) graph.fail("its scales are " + std::string(name_of(node.type(scale).dtype)));
  }
  if (!graph.fits()) return sums;
  const Term left = laid_out(graph, graph.operand(by.left), left_behind), right = laid_out(graph, graph.operand(by.right), behind);
  const Term scale =
      graph.apply(Op::kDiv, {graph.apply(Op::kMul, {left, right}), laid_out(graph, graph.operand(by.result), left_behind)});
  Term steps = graph.apply(Op::kRound, {graph.apply(Op::kMul, {graph.cast(sums, DType::kF32), scale})});
  if (has_zero_point(node, by.zero))
    steps = graph.apply(Op::kAdd, {steps, laid_out(graph, graph.cast(graph.operand(by.zero), DType::kF32), left_behind)});
  // A scale or a bias of more numbers than the sums have entries would make a larger result.
  if (graph.fits() && graph.type(steps).shape != graph.type(sums).shape)
    graph.fail("its scales and zero points do not fit " + type_text(graph.type(sums)));
  return saturated(graph, steps, node.type(by.zero).dtype);
}

Result<Translated> translate_matmul_integer(NodeImport& node) {
  Composition graph(node);
  return graph.finish(product(graph, node, 0, 2, 1, 3));
}

Result<Translated> translate_conv_integer(NodeImport& node) {
  Composition graph(node);
  FL_TRY(const Term sums, convolution(graph, node, {0, 2, 1, 3}));
  return graph.finish(sums);
}

Result<Translated> translate_qlinear_matmul(NodeImport& node) {
  if (!is_byte(node.type(0).dtype) || !is_byte(node.type(3).dtype) || !is_byte(node.type(7).dtype))
    return Translated::opaque("it takes other numbers than bytes");
  Composition graph(node);
  const Term sums = product(graph, node, 0, 2, 3, 5);
  return graph.finish(requantised(graph, node, sums, {1, 4, 6, 7}, 1, 0));
}

Result<Translated> translate_qlinear_conv(NodeImport& node) {
  if (!is_byte(node.type(7).dtype)) return Translated::opaque("it gives other numbers than bytes");
  Composition graph(node);
  FL_TRY(Term sums, convolution(graph, node, {0, 2, 3, 5}));
  const std::size_t behind = node.type(0).shape.size() - std::min<std::size_t>(2, node.type(0).shape.size());
  if (node.has_input(8)) {
    const Term more = graph.apply(Op::kAdd, {sums, laid_out(graph, graph.operand(8), behind)});
    if (graph.fits() && graph.type(more).shape != graph.type(sums).shape)
      graph.fail("its bias " + type_text(node.type(8)) + " does not fit its filter");
    sums = more;
  }
  return graph.finish(requantised(graph, node, sums, {1, 4, 6, 7}, 0, behind));
}

}  // namespace

Rows integer_product_rows() {
  static constexpr OperatorRow kRows[] = {
      {"MatMulInteger", translate_matmul_integer, "", Operands::between(2, 4)},
      {"ConvInteger", translate_conv_integer, "auto_pad:s dilations:I group:i kernel_shape:I pads:I strides:I", {2, 4, true}},
      {"QLinearMatMul", translate_qlinear_matmul, "", Operands::exactly(8)},
      {"QLinearConv", translate_qlinear_conv, "auto_pad:s dilations:I group:i kernel_shape:I pads:I strides:I",
       Operands::between(8, 9)},
  };
  return kRows;
}

}  // namespace fuselab::onnx
