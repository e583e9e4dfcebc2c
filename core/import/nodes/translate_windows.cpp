// SPDX-License-Identifier: Apache-2.0
// Operators that read windows of their input.
#include <algorithm>
#include <functional>
#include <numeric>

#include "core/import/compositions/positions.h"
#include "core/import/compositions/window_attributes.h"
#include "core/import/nodes/operators.h"
#include "core/ops/infer.h"
#include "core/ops/op_attributes.h"
#include "core/tensor/small_float.h"

namespace fuselab::onnx {
namespace {

using Term = Composition::Term;

std::int64_t product_of(const std::vector<std::int64_t>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{1}, std::multiplies<>());
}

// Finds where in its input the largest element of each window lies. It lays the windows' elements out as neighbours, finds the
// place of the largest of them, and computes the place in the input from that.
class LargestPlaces {
 public:
  // `kernel`, `output`: extents of a window and of the result's places.
  LargestPlaces(Composition& graph, const TensorType& type, const Attributes& attributes, std::vector<std::int64_t> output)
      : graph_(graph),
        dtype_(type.dtype),
        extents_(extents_of(type.shape)),
        kernel_(attributes.integers("kernel_shape")),
        strides_(attributes.integers("strides", std::vector<std::int64_t>(kernel_.size(), 1))),
        dilations_(attributes.integers("dilations", std::vector<std::int64_t>(kernel_.size(), 1))),
        pads_(attributes.integers("pads", std::vector<std::int64_t>(2 * kernel_.size(), 0))),
        output_(std::move(output)),
        columns_first_(attributes.integer("storage_order", 0) != 0) {}

  Term of(Term x) {
    const Term elements = windows(padded(x));
    const auto axis = static_cast<std::int64_t>(extents_.size());
    return place(graph_.apply(Op::kArgMax, {elements}, {{"axis", axis}, {"keepdims", std::int64_t{0}}}));
  }

 private:
  std::int64_t last_start(std::size_t i) const { return (output_[i + 2] - 1) * strides_[i]; }

  Term padded(Term x) {
    std::vector<std::int64_t> pads(2 * extents_.size(), 0);
    for (std::size_t i = 0; i < kernel_.size(); ++i) {
      const std::int64_t reached = last_start(i) + (kernel_[i] - 1) * dilations_[i] + 1;
      pads[i + 2] = pads_[i];
      pads[extents_.size() + i + 2] = std::max(pads_[i + kernel_.size()], reached - extents_[i + 2] - pads_[i]);
    }
    if (std::all_of(pads.begin(), pads.end(), [](std::int64_t pad) { return pad == 0; })) return x;
    // A whole number has no element below all others.
    if (!is_floating(dtype_)) graph_.fail("its indices are read, and beside its padding whole numbers have no smallest one");
    return graph_.apply(Op::kPad, {x}, {{"pads", pads}, {"value", detail::lowest_of(dtype_)}});
  }

  // The elements of each window along a last axis of their own.
  Term windows(Term x) {
    std::vector<std::int64_t> axes(kernel_.size());
    std::iota(axes.begin(), axes.end(), 2);
    std::vector<Term> all;
    for (std::int64_t at = 0; at < product_of(kernel_); ++at) {
      std::vector<std::int64_t> starts(kernel_.size()), ends(kernel_.size());
      std::int64_t rest = at;
      for (std::size_t i = kernel_.size(); i-- > 0; rest /= kernel_[i]) {
        starts[i] = rest % kernel_[i] * dilations_[i];
        ends[i] = starts[i] + last_start(i) + 1;
      }
      const Term part = graph_.apply(Op::kSlice, {x}, {{"starts", starts}, {"ends", ends}, {"axes", axes}, {"steps", strides_}});
      all.push_back(graph_.unsqueeze(part, {static_cast<std::int64_t>(extents_.size())}));
    }
    return graph_.apply(Op::kConcat, all, {{"axis", static_cast<std::int64_t>(extents_.size())}});
  }

  Term number(std::int64_t value) { return graph_.number(static_cast<double>(value), DType::kI64); }
  Term plus(Term a, Term b) { return graph_.apply(Op::kAdd, {a, b}); }
  Term times(Term a, std::int64_t b) { return b == 1 ? a : graph_.apply(Op::kMul, {a, number(b)}); }

  // Computes the place in the input from the largest element's place in its window.
  Term place(Term in_window) {
    const std::size_t rank = extents_.size();
    const std::int64_t of_picture = product_of({extents_.begin() + 2, extents_.end()});
    const Term channel = times(positions_along(graph_, extents_[1], 1, rank), of_picture);
    Term sum = plus(times(positions_along(graph_, extents_[0], 0, rank), extents_[1] * of_picture), channel);
    for (std::size_t i = 0; i < kernel_.size(); ++i) {
      const std::int64_t behind = product_of({kernel_.begin() + static_cast<std::ptrdiff_t>(i) + 1, kernel_.end()});
      Term offset = behind == 1 ? in_window : graph_.apply(Op::kDiv, {in_window, number(behind)});
      if (i > 0) offset = graph_.apply(Op::kMod, {offset, number(kernel_[i])});
      const Term start = times(positions_along(graph_, output_[i + 2], i + 2, rank), strides_[i]);
      const Term position = plus(plus(times(offset, dilations_[i]), start), number(-pads_[i]));
      const auto axis = extents_.begin() + static_cast<std::ptrdiff_t>(i) + 2;
      const std::int64_t step = columns_first_ ? product_of({extents_.begin() + 2, axis}) : product_of({axis + 1, extents_.end()});
      sum = plus(sum, times(position, step));
    }
    return sum;
  }

  Composition& graph_;
  DType dtype_;
  std::vector<std::int64_t> extents_, kernel_, strides_, dilations_, pads_, output_;
  bool columns_first_;
};

// More would be more operators for one of a model's than anybody wants to see.
constexpr std::int64_t kLargestWindow = 64;

Result<Translated> max_pool_with_indices(NodeImport& node, const Attributes& attributes) {
  const TensorType type = node.type(0);
  if (!is_concrete(type.shape)) return Translated::opaque("its indices are read, and its extents are not known");
  FL_TRY(const std::vector<TensorType> results, infer_types(Op::kMaxPool, std::vector<TensorType>{type}, attributes));
  FL_TRY(const std::int64_t count, element_count(type.shape));
  if (count == 0) return Translated::opaque("its indices are read, and it has no elements");
  const std::vector<std::int64_t> kernel = attributes.integers("kernel_shape");
  if (std::any_of(kernel.begin(), kernel.end(), [](std::int64_t extent) { return extent > kLargestWindow; }) ||
      product_of(kernel) > kLargestWindow)
    return Translated::opaque("its indices are read, and its window has more than " + std::to_string(kLargestWindow) + " elements");
  Composition graph(node);
  const Term x = graph.operand(0);
  LargestPlaces places(graph, type, attributes, extents_of(results.front().shape));
  return graph.finish({graph.apply(Op::kMaxPool, {x}, attributes), places.of(x)});
}

Result<Translated> translate_window(NodeImport& node) {
  const Op op = *parse_op(node.op());
  Attributes attributes;
  FL_TRY(std::string because, read_window(node, attributes_of(op), attributes));
  if (!because.empty()) return Translated::opaque(std::move(because));
  if (op == Op::kMaxPool && node.uses_output(1)) return max_pool_with_indices(node, attributes);
  return node.emit(op, node.values(), attributes);
}

// The p-th root of the sum of a window's p-th powers: their mean, with zeros beyond the border, times how many they are.
Result<Translated> translate_lp_pool(NodeImport& node) {
  std::vector<AttributeInfo> known(attributes_of(Op::kAveragePool).begin(), attributes_of(Op::kAveragePool).end());
  known.push_back({"p", AttributeKind::kReal, false, 2.0});
  Attributes attributes;
  FL_TRY(std::string because, read_window(node, known, attributes));
  if (!because.empty()) return Translated::opaque(std::move(because));
  const double p = attributes.real("p", 2.0);
  if (!(p > 0)) return invalid_argument("its p is " + std::to_string(p) + ", which makes no norm");
  if (attributes.integer("ceil_mode", 0) != 0) return Translated::opaque("its last windows may end beyond its padding");
  Attributes window{{"count_include_pad", std::int64_t{1}}};
  for (const auto& [name, value] : attributes.values()) {
    if (name != "p") window.set(name, value);
  }
  Composition graph(node);
  const DType dtype = node.type(0).dtype;
  if (!is_floating(dtype)) graph.fail("it takes " + std::string(name_of(dtype)));
  const Term x = graph.operand(0);
  const auto power = [&](Term base, double exponent) { return graph.apply(Op::kPow, {base, graph.number(exponent, dtype)}); };
  const Term size = p == 2 ? x : graph.apply(Op::kAbs, {x});
  const Term powers = p == 1 ? size : p == 2 ? graph.apply(Op::kMul, {x, x}) : power(size, p);
  const Term mean = graph.apply(Op::kAveragePool, {powers}, std::move(window));
  double count = 1;
  for (const std::int64_t extent : attributes.integers("kernel_shape")) count *= static_cast<double>(extent);
  const Term sum = graph.apply(Op::kMul, {mean, graph.number(count, dtype)});
  return graph.finish(p == 1 ? sum : p == 2 ? graph.apply(Op::kSqrt, {sum}) : power(sum, 1 / p));
}

}  // namespace

Rows window_rows() {
  static constexpr OperatorRow kRows[] = {
      {"Conv", translate_window, "auto_pad:s dilations:I group:i kernel_shape:I pads:I strides:I"},
      {"MaxPool", translate_window,
       "auto_pad:s ceil_mode:i@10- dilations:I@10- kernel_shape:I pads:I storage_order:i@8- strides:I"},
      {"AveragePool", translate_window,
       "auto_pad:s ceil_mode:i@10- count_include_pad:i@7- dilations:I@19- kernel_shape:I pads:I strides:I"},
      {"LpPool", translate_lp_pool, "auto_pad:s ceil_mode:i@18- dilations:I@18- kernel_shape:I p:f@1-1 p:i@2- pads:I strides:I",
       Operands::exactly(1)},
      {"GlobalAveragePool", translate_direct},
  };
  return kRows;
}

}  // namespace fuselab::onnx
