// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "core/import/compositions/composition.h"
#include "core/import/nodes/operators.h"
#include "core/tensor/small_float.h"

namespace fuselab::onnx {
namespace {

using Term = Composition::Term;

// Holds the axes that a reduction takes, given as an attribute or, later, as an operand.
struct Axes {
  bool none = false;               // nothing is reduced, and the rest of the operator still happens
  std::vector<std::int64_t> list;  // empty: all of them
  bool kept = true;
};

// Returns nothing when the axes are computed.
std::optional<Axes> axes_of(NodeImport& node) {
  auto list = node.integer_list("axes");
  if (node.has_input(1)) {
    list = node.integers(1);
    if (!list) return std::nullopt;
  }
  Axes axes;
  axes.list = std::move(list).value_or(std::vector<std::int64_t>{});
  axes.none = axes.list.empty() && node.integer("noop_with_empty_axes", 0) != 0;
  axes.kept = node.integer("keepdims", 1) != 0;
  return axes;
}

Attributes as_attributes(const Axes& axes, bool kept) {
  Attributes attributes{{"keepdims", std::int64_t{kept ? 1 : 0}}};
  if (!axes.list.empty()) attributes.set("axes", axes.list);
  return attributes;
}

// Returns the result's type, which ONNX tells whatever the operator; nothing when the axes do not fit.
std::optional<TensorType> reduced_type(const TensorType& type, const Axes& axes) {
  const auto rank = static_cast<std::int64_t>(type.shape.size());
  std::vector<bool> reduced(type.shape.size(), axes.list.empty());
  for (const std::int64_t axis : axes.list) {
    if (axis < -rank || axis >= rank) return std::nullopt;
    reduced[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = true;
  }
  TensorType result{type.dtype, {}};
  for (std::size_t i = 0; i < type.shape.size(); ++i) {
    if (!reduced[i] || axes.none) result.shape.push_back(type.shape[i]);
    if (reduced[i] && !axes.none && axes.kept) result.shape.emplace_back(1);
  }
  return result;
}

class Reduction {
 public:
  Reduction(Composition& graph, const Axes& axes, const TensorType& type) : graph_(graph), axes_(axes), type_(type) {}

  Term sum(Term x) { return reduce(Op::kReduceSum, x, axes_.kept); }
  Term square_sum(Term x) { return sum(graph_.apply(Op::kMul, {x, x})); }
  // Negated for reals. For integers what is left below a number: the least one has no negative, and an unsigned one never has.
  Term smallest(Term x) {
    const auto mirrored = [&](Term term) {
      if (is_floating(type_.dtype)) return graph_.apply(Op::kNeg, {term});
      const double middle = is_unsigned(type_.dtype) ? detail::largest_of(type_.dtype) : -1;
      return graph_.apply(Op::kSub, {graph_.number(middle, type_.dtype), term});
    };
    return mirrored(reduce(Op::kReduceMax, mirrored(x), axes_.kept));
  }
  // Around the largest number, so that no power overflows; of infinite ones a difference would be no number.
  Term logarithm_of_powers(Term x) {
    if (axes_.none) return x;
    const double most = detail::largest_of(type_.dtype);
    const Term largest = graph_.apply(Op::kClip, {reduce(Op::kReduceMax, x, true)}, {{"min", -most}, {"max", most}});
    const Term powers = graph_.apply(Op::kExp, {graph_.apply(Op::kSub, {x, largest})});
    const Term logarithm = graph_.apply(Op::kLog, {reduce(Op::kReduceSum, powers, true)});
    const Term result = graph_.apply(Op::kAdd, {logarithm, largest});
    return axes_.kept || type_.shape.empty() ? result : graph_.apply(Op::kSqueeze, {result}, {{"axes", reduced_axes()}});
  }

 private:
  Term reduce(Op op, Term x, bool kept) { return axes_.none ? x : graph_.apply(op, {x}, as_attributes(axes_, kept)); }
  std::vector<std::int64_t> reduced_axes() const {
    if (!axes_.list.empty()) return axes_.list;
    std::vector<std::int64_t> all(type_.shape.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  Composition& graph_;
  const Axes& axes_;
  const TensorType& type_;
};

Term reduced(Composition& graph, const std::string& op, const Axes& axes, const TensorType& type) {
  const Term x = graph.operand(0);
  Reduction reduction(graph, axes, type);
  if (op == "ReduceL1") return reduction.sum(graph.apply(Op::kAbs, {x}));
  if (op == "ReduceL2") return graph.apply(Op::kSqrt, {reduction.square_sum(x)});
  if (op == "ReduceSumSquare") return reduction.square_sum(x);
  if (op == "ReduceLogSum") return graph.apply(Op::kLog, {reduction.sum(x)});
  if (op == "ReduceLogSumExp") return reduction.logarithm_of_powers(x);
  return reduction.smallest(x);
}

// Returns all axes behind the channels, as a pool over all of a picture takes them.
std::optional<Axes> spatial_axes(const TensorType& type) {
  if (type.shape.size() < 3) return std::nullopt;
  Axes axes;
  for (std::size_t i = 2; i < type.shape.size(); ++i) axes.list.push_back(static_cast<std::int64_t>(i));
  return axes;
}

// The number of elements that a shape says, its largest extent and the like.
std::optional<KnownTensor> folded(NodeImport& node, const Axes& axes) {
  const KnownTensor* known = node.known(0);
  const bool only_axis = axes.list.empty() || (axes.list.size() == 1 && (axes.list[0] == 0 || axes.list[0] == -1));
  if (known == nullptr || axes.none || !only_axis) return std::nullopt;
  return fold_reduction(node.op(), *known, axes.kept);
}

Error no_picture(const TensorType& type) {
  return invalid_argument("needs X [N,C,…] of rank 3 or more, got " + type_text(type));
}

Result<Translated> translate_reduce(NodeImport& node) {
  const auto axes = axes_of(node);
  if (!axes) return Translated::opaque("its axes are computed");
  if (auto known = folded(node, *axes)) {
    Translated translated;
    translated.known = std::move(known);
    return translated;
  }
  if (axes->none) return node.emit(Op::kIdentity, {node.value(0)}, {});
  return node.emit(*parse_op(node.op()), {node.value(0)}, as_attributes(*axes, axes->kept));
}

Result<Translated> translate_composed_reduction(NodeImport& node) {
  const auto axes = axes_of(node);
  if (!axes) return Translated::opaque("its axes are computed");
  if (auto known = folded(node, *axes)) {
    Translated translated;
    translated.known = std::move(known);
    return translated;
  }
  const TensorType& type = node.type(0);
  const auto result = reduced_type(type, *axes);
  if (!result) return invalid_argument("has an axis outside rank " + std::to_string(type.shape.size()));
  std::string unknown;
  node.attributes(Op::kReduceSum, unknown);
  if (!unknown.empty()) return Translated::unknown_attribute(unknown);
  const bool has_no_mirror = node.op() == "ReduceMin" && type.dtype == DType::kU64;
  if (has_no_mirror) return Translated::opaque("its least number is found below the largest one, which in u64 no constant holds");
  Composition graph(node, result);
  return graph.finish(reduced(graph, node.op(), *axes, type));
}

Result<Translated> translate_global_max_pool(NodeImport& node) {
  const auto axes = spatial_axes(node.type(0));
  if (!axes) return no_picture(node.type(0));
  Composition graph(node, reduced_type(node.type(0), *axes));
  return graph.finish(graph.apply(Op::kReduceMax, {graph.operand(0)}, as_attributes(*axes, true)));
}

Result<Translated> translate_global_lp_pool(NodeImport& node) {
  const TensorType& type = node.type(0);
  const auto axes = spatial_axes(type);
  if (!axes) return no_picture(type);
  static const AttributeInfo kAttributes[] = {{"p", AttributeKind::kReal, false, 2.0}};
  std::string unknown;
  const double p = node.attributes(kAttributes, unknown).real("p", 2.0);
  if (!unknown.empty()) return Translated::unknown_attribute(unknown);
  if (!(p > 0)) return invalid_argument("its p is " + std::to_string(p) + ", which makes no norm");
  Composition graph(node, reduced_type(type, *axes));
  if (p == 1) return graph.finish(reduced(graph, "ReduceL1", *axes, type));
  if (p == 2) return graph.finish(reduced(graph, "ReduceL2", *axes, type));
  Reduction reduction(graph, *axes, type);
  const Term size = graph.apply(Op::kAbs, {graph.operand(0)});
  const Term sum = reduction.sum(graph.apply(Op::kPow, {size, graph.number(p, type.dtype)}));
  return graph.finish(graph.apply(Op::kPow, {sum, graph.number(1 / p, type.dtype)}));
}

}  // namespace

Rows reduction_rows() {
  static constexpr std::string_view kAxes = "axes:I@1-17 keepdims:i noop_with_empty_axes:i@18-";
  static constexpr OperatorRow kRows[] = {
      {"ReduceSum", translate_reduce, "axes:I@1-12 keepdims:i noop_with_empty_axes:i@13-"},
      {"ReduceMean", translate_reduce, kAxes},
      {"ReduceMax", translate_reduce, kAxes},
      {"ReduceProd", translate_reduce, kAxes},
      {"ReduceMin", translate_composed_reduction, kAxes, Operands::between(1, 2)},
      {"ReduceL1", translate_composed_reduction, kAxes, Operands::between(1, 2)},
      {"ReduceL2", translate_composed_reduction, kAxes, Operands::between(1, 2)},
      {"ReduceLogSum", translate_composed_reduction, kAxes, Operands::between(1, 2)},
      {"ReduceLogSumExp", translate_composed_reduction, kAxes, Operands::between(1, 2)},
      {"ReduceSumSquare", translate_composed_reduction, kAxes, Operands::between(1, 2)},
      {"ArgMax", translate_direct, "axis:i keepdims:i select_last_index:i@12-"},
      {"ArgMin", translate_direct, "axis:i keepdims:i select_last_index:i@12-"},
      {"GlobalMaxPool", translate_global_max_pool, "", Operands::exactly(1)},
      {"GlobalLpPool", translate_global_lp_pool, "p:f@1-1 p:i@2-", Operands::exactly(1)},
  };
  return kRows;
}

}  // namespace fuselab::onnx
