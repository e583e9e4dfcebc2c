// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "core/import/compositions/quantised_numbers.h"
#include "core/import/nodes/operators.h"

namespace fuselab::onnx {
namespace {

using Term = Composition::Term;

bool is_quantised(DType dtype) {
  switch (dtype) {
    case DType::kI16:
    case DType::kU16:
    case DType::kI8:
    case DType::kU8:
    case DType::kI4:
    case DType::kU4:
    case DType::kF8E4M3:
    case DType::kF8E5M2: return true;
    default: return false;
  }
}

// Returns whether ONNX computes scales in this type.
bool is_wide_floating(DType dtype) {
  return is_floating(dtype) && bits_of(dtype) >= 16;
}

bool is_single(const Shape& shape) {
  return std::all_of(shape.begin(), shape.end(), [](const Dim& dim) { return dim == Dim(1); });
}

// Describes how scales and zero points lie over x: one for all of it, one for each position of an axis, or, by blocks, one for as
// many neighbouring positions of that axis as a block has, at each place of the others.
class Grid {
 public:
  // The scale is operand 1. ONNX reads the axis only where there are several numbers. Where blocks cannot be counted the
  // composition fails.
  static Result<Grid> of(NodeImport& node, Composition& graph);

  bool blocked() const { return block_ > 0; }
  // Where the blocks are equal they become an axis of their own, and x keeps its order in memory.
  Term divided(Composition& graph, Term x) const { return in_place() ? graph.reshape(x, divided_shape()) : x; }
  Term whole(Composition& graph, Term x) const { return in_place() ? graph.reshape(x, x_.shape) : x; }
  // The scale or the zero point, that operand, in that type, so that it broadcasts to what divided() gives.
  Result<Term> spread(Composition& graph, NodeImport& node, std::size_t operand, DType dtype) const;

 private:
  std::int64_t length() const { return x_.shape[axis_].extent(); }
  std::int64_t blocks() const { return 1 + (length() - 1) / block_; }
  bool in_place() const { return blocked() && length() % block_ == 0; }
  Shape divided_shape() const;
  Shape blocked_shape() const;
  Status check(const TensorType& parameter) const;

  TensorType x_;
  std::int64_t given_axis_ = 1;
  std::size_t axis_ = 0;
  std::int64_t block_ = 0;  // 0: not by blocks
};

Result<Grid> Grid::of(NodeImport& node, Composition& graph) {
  Grid grid;
  grid.x_ = node.type(0);
  const auto rank = static_cast<std::int64_t>(grid.x_.shape.size());
  const std::int64_t block = node.integer("block_size", 0);
  if (block < 0) return invalid_argument("has blocks of " + std::to_string(block) + " elements");
  if (is_single(node.type(1).shape) && (!node.has_input(2) || is_single(node.type(2).shape))) return grid;
  grid.given_axis_ = node.integer("axis", 1);
  if (grid.given_axis_ < -rank || grid.given_axis_ >= rank)
    return invalid_argument("axis " + std::to_string(grid.given_axis_) + " is outside rank " + std::to_string(rank));
  grid.axis_ = static_cast<std::size_t>(grid.given_axis_ < 0 ? grid.given_axis_ + rank : grid.given_axis_);
  const Dim& extent = grid.x_.shape[grid.axis_];
  if (block > 0 && extent.is_symbol()) graph.fail("the extent of its blocked axis, '" + extent.name() + "', is open");
  if (block > 0 && extent == Dim(0)) graph.fail("it has no elements");
  // One block may reach beyond the axis.
  if (block > 0 && graph.fits()) grid.block_ = std::min(block, grid.length());
  return grid;
}

Shape Grid::divided_shape() const {
  Shape shape = x_.shape;
  shape[axis_] = Dim(blocks());
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis_) + 1, Dim(block_));
  return shape;
}

Shape Grid::blocked_shape() const {
  Shape shape = x_.shape;
  shape[axis_] = Dim(blocks());
  return shape;
}

Status Grid::check(const TensorType& parameter) const {
  const Shape& shape = parameter.shape;
  const auto may_equal = [](const Dim& a, const Dim& b) { return a == b || a.is_symbol() || b.is_symbol(); };
  if (blocked()) {
    const Shape wanted = blocked_shape();
    if (std::equal(shape.begin(), shape.end(), wanted.begin(), wanted.end(), may_equal)) return Status();
    return invalid_argument("has scales or zero points " + type_text(parameter) + " where blocks of " + std::to_string(block_) +
                            " along axis " + std::to_string(given_axis_) + " need " + shape_text(wanted));
  }
  if (shape.size() != 1) {
    return invalid_argument("has scales or zero points " + type_text(parameter) + " and no block_size that would say what of " +
                            type_text(x_) + " each is for");
  }
  if (may_equal(shape.front(), x_.shape[axis_])) return Status();
  return invalid_argument("has " + shape.front().text() + " scales or zero points for the " + x_.shape[axis_].text() +
                          " positions of axis " + std::to_string(given_axis_));
}

Result<Term> Grid::spread(Composition& graph, NodeImport& node, std::size_t operand, DType dtype) const {
  const TensorType& type = node.type(operand);
  const bool exact = !is_floating(type.dtype) || type.dtype == dtype || bits_of(type.dtype) < bits_of(dtype);
  const auto number = node.known(operand) != nullptr ? node.known(operand)->scalar() : std::nullopt;
  if (number && exact) return graph.number(*number, dtype);
  const Term given = graph.cast(graph.operand(operand), dtype);
  if (!graph.fits()) return given;
  if (is_single(type.shape)) return type.shape.empty() ? given : graph.reshape(given, {});
  FL_TRY_VOID(check(type));
  const auto behind = static_cast<std::int64_t>(axis_) + 1;
  if (!blocked()) {
    std::vector<std::int64_t> added;
    for (std::int64_t i = behind; i < static_cast<std::int64_t>(x_.shape.size()); ++i) added.push_back(i - behind + 1);
    return graph.unsqueeze(given, added);
  }
  const Term numbers = graph.unsqueeze(given, {behind});
  if (in_place()) return numbers;
  // The last block is a shorter one: the numbers are written out for each position.
  std::vector<std::int64_t> factors(x_.shape.size() + 1, 1);
  factors[axis_ + 1] = block_;
  Shape all = x_.shape;
  all[axis_] = Dim(blocks() * block_);
  const Term repeated = graph.reshape(graph.apply(Op::kExpand, {numbers}, {{"shape", factors}}), all);
  const std::int64_t axis = behind - 1;
  return graph.apply(Op::kSlice, {repeated},
                     {{"starts", std::vector<std::int64_t>{0}},
                      {"ends", std::vector<std::int64_t>{length()}},
                      {"axes", std::vector<std::int64_t>{axis}}});
}

// A type that an attribute names by ONNX's number; `otherwise` where the file does not say.
std::optional<DType> named_type(NodeImport& node, const char* attribute, DType otherwise) {
  const std::int64_t code = node.integer(attribute, 0);
  return code == 0 ? otherwise : dtype_of_code(code);
}

// x / scale, rounded for whole numbers, plus the zero point.
Result<Translated> quantised(NodeImport& node, DType division, DType to) {
  const TensorType x = node.type(0);
  Composition graph(node, TensorType{to, x.shape});
  FL_TRY(const Grid lies, Grid::of(node, graph));
  const Term number = graph.cast(lies.divided(graph, graph.operand(0)), division);
  FL_TRY(const Term scale, lies.spread(graph, node, 1, division));
  Term steps = graph.apply(Op::kDiv, {number, scale});
  // Sixteen bits of whole numbers do not fit into as many of a floating type.
  const bool widens = bits_of(division) == 16 && bits_of(to) == 16;
  const DType dtype = widens ? DType::kF32 : division;
  steps = graph.cast(steps, dtype);
  if (!is_floating(to)) steps = graph.apply(Op::kRound, {steps});
  if (node.has_input(2) && !is_known_zero(node.known(2))) {
    FL_TRY(const Term zero, lies.spread(graph, node, 2, dtype));
    steps = graph.apply(Op::kAdd, {steps, zero});
  }
  return graph.finish(lies.whole(graph, saturated(graph, steps, to, node.integer("saturate", 1) != 0)));
}

Result<Translated> translate_quantize(NodeImport& node) {
  std::string unknown;
  attributes_by_row(node, unknown);
  if (!unknown.empty()) return Translated::unknown_attribute(unknown);
  const auto asked = named_type(node, "output_dtype", node.has_input(2) ? node.type(2).dtype : DType::kU8);
  if (!asked) return Translated::opaque("it quantises to ONNX element type " + std::to_string(node.integer("output_dtype", 0)));
  const DType to = *asked;
  if (node.has_input(2) && node.type(2).dtype != to) return Translated::opaque("its zero point is of another type than its result");
  if (!is_quantised(to)) return Translated::opaque("it quantises to " + std::string(name_of(to)));
  if (to == DType::kF8E4M3 && node.integer("saturate", 1) == 0) return Translated::opaque("it quantises without saturation");
  const DType x = node.type(0).dtype;
  if (!is_wide_floating(x) && x != DType::kI32) return Translated::opaque("it takes " + std::string(name_of(x)));
  const auto division = named_type(node, "precision", node.type(1).dtype);
  if (!division || !is_wide_floating(*division)) {
    return Translated::opaque("it divides in " + (division ? std::string(name_of(*division)) : "a type that is not known"));
  }
  return quantised(node, *division, to);
}

Result<Translated> translate_dequantize(NodeImport& node) {
  std::string unknown;
  attributes_by_row(node, unknown);
  if (!unknown.empty()) return Translated::unknown_attribute(unknown);
  const TensorType x = node.type(0);
  const DType own = node.type(1).dtype;
  if (!is_quantised(x.dtype) && x.dtype != DType::kI32) return Translated::opaque("it takes " + std::string(name_of(x.dtype)));
  if (!is_wide_floating(own)) return Translated::opaque("its scale is " + std::string(name_of(own)));
  const auto to = named_type(node, "output_dtype", own);
  if (!to || !is_wide_floating(*to)) {
    return Translated::opaque("its result is " + (to ? std::string(name_of(*to)) : "of a type that is not known"));
  }
  // The scale's type is enough only where every number of x and its zero point is one of that type.
  const bool narrow = bits_of(own) == 16 && (bits_of(x.dtype) > 8 || *to != own);
  const DType dtype = narrow ? DType::kF32 : own;
  Composition graph(node, TensorType{*to, x.shape});
  FL_TRY(const Grid lies, Grid::of(node, graph));
  Term number = graph.cast(lies.divided(graph, graph.operand(0)), dtype);
  if (node.has_input(2) && !is_known_zero(node.known(2))) {
    FL_TRY(const Term zero, lies.spread(graph, node, 2, dtype));
    number = graph.apply(Op::kSub, {number, zero});
  }
  FL_TRY(const Term scale, lies.spread(graph, node, 1, dtype));
  return graph.finish(lies.whole(graph, graph.cast(graph.apply(Op::kMul, {number, scale}), *to)));
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
  const Term zero_point = graph.cast(zero, DType::kU8);
  const Term steps = graph.apply(Op::kAdd, {graph.apply(Op::kRound, {graph.apply(Op::kDiv, {input, scale})}), zero});
  const Term y = graph.cast(graph.apply(Op::kClip, {steps}, {{"min", 0.0}, {"max", kLargest}}), DType::kU8);
  return graph.finish(std::vector<Term>{y, scale, zero_point});
}

}  // namespace

Rows quantization_rows() {
  static constexpr OperatorRow kRows[] = {
      {"QuantizeLinear", translate_quantize, "axis:i@13- block_size:i@21- output_dtype:i@21- precision:i@23- saturate:i@19-",
       Operands::between(2, 3)},
      {"DequantizeLinear", translate_dequantize, "axis:i@13- block_size:i@21- output_dtype:i@23-", Operands::between(2, 3)},
      {"DynamicQuantizeLinear", translate_dynamic_quantize, "", Operands::exactly(1)},
  };
  return kRows;
}

}  // namespace fuselab::onnx
