// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/import/compositions/composition.h"
#include "core/import/nodes/operators.h"

namespace fuselab::onnx {
namespace {

using Term = Composition::Term;
using Numbers = std::vector<std::int64_t>;

constexpr std::int64_t kMost = std::int64_t{1} << 31;  // products of two such numbers can be counted

struct Window {
  Numbers kernel, strides, dilations, pads, output_padding;
  std::int64_t group = 1;

  std::size_t axes() const { return kernel.size(); }
  std::int64_t reach(std::size_t i) const { return (kernel[i] - 1) * dilations[i] + 1; }
};

Numbers list_or(NodeImport& node, const char* name, std::size_t count, std::int64_t otherwise) {
  return node.integer_list(name).value_or(Numbers(count, otherwise));
}

// Pads that make the result as large as is asked: ONNX's own formula.
void pad_to(Window& window, const Shape& input, const Numbers& outputs, bool more_at_end) {
  for (std::size_t i = 0; i < window.axes(); ++i) {
    const std::int64_t total =
        window.strides[i] * (input[i + 2].extent() - 1) + window.output_padding[i] + window.reach(i) - outputs[i];
    // A negative total makes the result larger behind.
    const std::int64_t half = total < 0 ? 0 : total / 2;
    window.pads[i] = more_at_end || total < 0 ? half : total - half;
    window.pads[i + window.axes()] = total - window.pads[i];
  }
}

// Checks that ONNX has this way to pad and that the pads are in range. Pads may be negative: they make the result larger.
Status check_pads(const Window& window, const std::string& padding) {
  if (padding != "NOTSET" && padding != "VALID" && padding != "SAME_UPPER" && padding != "SAME_LOWER")
    return invalid_argument("its auto_pad is " + shown(padding) + ": there are NOTSET, VALID, SAME_UPPER and SAME_LOWER");
  for (const std::int64_t pad : window.pads) {
    if (pad < -kMost || pad > kMost) return invalid_argument("its pads have " + std::to_string(pad) + " in them");
  }
  return Status();
}

// An error for what is wrong; "" or why it is a barrier, in `because`.
Result<Window> window_of(NodeImport& node, std::string& because) {
  const Shape& input = node.type(0).shape;
  const Shape& weights = node.type(1).shape;
  if (input.size() < 3 || weights.size() != input.size()) {
    return invalid_argument("needs X [N,C,…] and W [C,M,…], got " + type_text(node.type(0)) + " and " + type_text(node.type(1)));
  }
  Window window;
  if (!is_concrete(weights) || std::any_of(input.begin() + 2, input.end(), [](const Dim& dim) { return dim.is_symbol(); }))
    because = "its extents are not known";
  if (!because.empty()) return window;
  const std::size_t axes = input.size() - 2;
  for (std::size_t i = 0; i < axes; ++i) window.kernel.push_back(weights[i + 2].extent());
  window.strides = list_or(node, "strides", axes, 1);
  window.dilations = list_or(node, "dilations", axes, 1);
  window.output_padding = list_or(node, "output_padding", axes, 0);
  window.pads = list_or(node, "pads", 2 * axes, 0);
  window.group = node.integer("group", 1);
  const auto sizes = {window.strides.size(), window.dilations.size(), window.output_padding.size(), window.pads.size() / 2};
  const bool fits = std::all_of(sizes.begin(), sizes.end(), [&](std::size_t size) { return size == axes; });
  if (!fits || window.pads.size() % 2 != 0) return invalid_argument("strides, dilations or pads do not fit its input");
  for (std::size_t i = 0; i < axes; ++i) {
    for (const std::int64_t number : {window.kernel[i], window.strides[i], window.dilations[i], input[i + 2].extent()}) {
      if (number < 1 || number > kMost) return invalid_argument("its window has the extent " + std::to_string(number));
    }
    if (window.output_padding[i] < 0 || window.output_padding[i] > kMost)
      return invalid_argument("its output_padding has " + std::to_string(window.output_padding[i]) + " in it");
  }
  for (const std::int64_t channels : {weights[0].extent(), weights[1].extent()}) {
    if (channels < 1 || channels > kMost) return invalid_argument("its weights have " + std::to_string(channels) + " channels");
  }
  if (window.group < 1 || weights[0].extent() % window.group != 0)
    return invalid_argument("cannot make " + std::to_string(window.group) + " groups of " + weights[0].text() + " channels");
  const std::string padding = node.text("auto_pad", "NOTSET");
  const bool upper = padding == "SAME_UPPER";
  FL_TRY_VOID(check_pads(window, padding));
  if (auto outputs = node.integer_list("output_shape")) {
    if (outputs->size() == axes + 2) outputs->erase(outputs->begin(), outputs->begin() + 2);
    if (outputs->size() != axes) return invalid_argument("its output_shape does not fit its input");
    for (const std::int64_t extent : *outputs) {
      if (extent < 1 || extent > kMost) return invalid_argument("its output_shape has the extent " + std::to_string(extent));
    }
    pad_to(window, input, *outputs, upper);
  } else if (upper || padding == "SAME_LOWER") {
    Numbers same;
    for (std::size_t i = 0; i < axes; ++i) same.push_back(input[i + 2].extent() * window.strides[i]);
    pad_to(window, input, same, upper);
  } else if (padding == "VALID") {
    window.pads.assign(2 * axes, 0);
  }
  return window;
}

// stride − 1 zeros between neighbours, and around them what the window reaches over the rim.
Term spread(Composition& graph, Term x, const Window& window) {
  const std::size_t axes = window.axes();
  Shape shape = graph.type(x).shape;
  Shape apart{shape[0], shape[1]}, together = apart;
  Numbers widen(4 + 4 * axes), rim(4 + 2 * axes);
  bool strided = false;
  for (std::size_t i = 0; i < axes; ++i) {
    const std::int64_t extent = shape[i + 2].extent(), stride = window.strides[i];
    apart.insert(apart.end(), {Dim(extent), Dim(1)});
    together.emplace_back(extent * stride);
    widen[2 + 2 * axes + 2 + 2 * i + 1] = stride - 1;
    const std::int64_t outside = window.reach(i) - 1;
    rim[2 + i] = outside - window.pads[i];
    // The zeros behind the last element go.
    rim[4 + axes + i] = outside - window.pads[i + axes] + window.output_padding[i] - (stride - 1);
    strided = strided || stride > 1;
  }
  if (strided) {
    x = graph.apply(Op::kPad, {graph.reshape(x, apart)}, {{"pads", widen}});
    x = graph.reshape(x, together);
  }
  const bool has_rim = std::any_of(rim.begin(), rim.end(), [](std::int64_t pad) { return pad != 0; });
  return has_rim ? graph.apply(Op::kPad, {x}, {{"pads", rim}}) : x;
}

// Every window mirrored.
Term flipped(Composition& graph, Term weights) {
  const Shape shape = graph.type(weights).shape;
  Numbers axes, starts, ends, steps;
  for (std::size_t i = 2; i < shape.size(); ++i) {
    if (shape[i] == Dim(1)) continue;
    axes.push_back(static_cast<std::int64_t>(i));
    starts.push_back(-1);
    ends.push_back(-shape[i].extent() - 1);
    steps.push_back(-1);
  }
  if (axes.empty()) return weights;
  return graph.apply(Op::kSlice, {weights}, {{"axes", axes}, {"starts", starts}, {"ends", ends}, {"steps", steps}});
}

// [C,M/g,…] as a convolution has them: [M,C/g,…], each window mirrored.
Term mirrored(Composition& graph, Term weights, const Window& window) {
  const Shape shape = graph.type(weights).shape;
  const Dim in(shape[0].extent() / window.group);
  const Dim& out = shape[1];
  Shape parts{Dim(window.group), in, out}, whole{Dim(window.group * out.extent()), in};
  Numbers perm{0, 2, 1};
  for (std::size_t i = 2; i < shape.size(); ++i) {
    parts.push_back(shape[i]);
    whole.push_back(shape[i]);
    perm.push_back(static_cast<std::int64_t>(i) + 1);
  }
  return flipped(graph, graph.reshape(graph.transpose(graph.reshape(weights, parts), perm), whole));
}

// A sub-pixel convolution (Shi et al. 2016): with stride s along an axis, s neighbouring results see s different phases of the
// window, every s-th of its elements from another first one on. Each phase is a channel of one convolution with the window [⌈kernel
// / stride⌉], filled up with zeros where the stride does not divide the kernel; their results are then interleaved.
Term sub_pixel(Composition& graph, Term x, Term weights, const Window& window) {
  const Shape input = graph.type(x).shape, shape = graph.type(weights).shape;
  const std::size_t axes = window.axes();
  const Dim in(shape[0].extent() / window.group), groups(window.group);
  Numbers longer(2 * shape.size()), pads(2 * axes), crop(2 * input.size());
  Numbers order{0, 2}, taps, sides{0, 1};
  std::int64_t phases = 1;
  Shape apart{groups, in, shape[1]}, split{input[0], Dim(window.group * shape[1].extent())}, joined = split;
  Shape one{Dim(0), in};
  for (std::size_t i = 0; i < axes; ++i) {
    const std::int64_t stride = window.strides[i], steps = (window.kernel[i] + stride - 1) / stride;
    const std::int64_t results = input[i + 2].extent() + steps - 1;
    longer[shape.size() + 2 + i] = steps * stride - window.kernel[i];
    apart.insert(apart.end(), {Dim(steps), Dim(stride)});
    one.emplace_back(steps);
    order.push_back(static_cast<std::int64_t>(4 + 2 * i));
    taps.push_back(static_cast<std::int64_t>(3 + 2 * i));
    phases *= stride;
    pads[i] = pads[i + axes] = steps - 1;
    split.emplace_back(stride);
    sides.insert(sides.end(), {static_cast<std::int64_t>(2 + axes + i), static_cast<std::int64_t>(2 + i)});
    joined.emplace_back(results * stride);
    crop[2 + i] = -window.pads[i];
    const std::int64_t asked = (input[i + 2].extent() - 1) * stride + window.kernel[i] + window.output_padding[i];
    crop[input.size() + 2 + i] = asked - window.pads[i + axes] - results * stride;
  }
  for (std::size_t i = 0; i < axes; ++i) split.emplace_back(joined[i + 2].extent() / window.strides[i]);
  one[0] = Dim(window.group * shape[1].extent() * phases);
  order.push_back(1);
  order.insert(order.end(), taps.begin(), taps.end());
  const auto padded = [&](Term term, const Numbers& by) {
    const bool none = std::all_of(by.begin(), by.end(), [](std::int64_t pad) { return pad == 0; });
    return none ? term : graph.apply(Op::kPad, {term}, {{"pads", by}});
  };
  weights = graph.reshape(padded(weights, longer), apart);
  weights = flipped(graph, graph.reshape(graph.transpose(weights, order), one));
  const Term channels = graph.apply(Op::kConv, {x, weights}, {{"group", window.group}, {"pads", pads}});
  return padded(graph.reshape(graph.transpose(graph.reshape(channels, split), sides), joined), crop);
}

// A convolution, with a stride a sub-pixel one. Only where a stride meets a dilation are zeros spread into the input:
// that does stride² times the work that is needed, and is right.
Result<Translated> translate_transposed_conv(NodeImport& node) {
  std::string unknown, because;
  attributes_by_row(node, unknown);
  if (!unknown.empty()) return Translated::unknown_attribute(unknown);
  FL_TRY(const Window window, window_of(node, because));
  if (!because.empty()) return Translated::opaque(because);
  const auto kernel = node.integer_list("kernel_shape");
  if (kernel && *kernel != window.kernel) return invalid_argument("its kernel_shape is not that of its weights");
  Composition graph(node);
  const auto is_one = [](std::int64_t number) { return number == 1; };
  const bool strided = !std::all_of(window.strides.begin(), window.strides.end(), is_one);
  if (strided && std::all_of(window.dilations.begin(), window.dilations.end(), is_one)) {
    const Term y = sub_pixel(graph, graph.operand(0), graph.operand(1), window);
    if (!node.has_input(2)) return graph.finish(y);
    Shape over(graph.type(y).shape.size() - 1, Dim(1));
    over[0] = graph.type(y).shape[1];
    return graph.finish(graph.apply(Op::kAdd, {y, graph.reshape(graph.operand(2), over)}));
  }
  const Term x = spread(graph, graph.operand(0), window);
  std::vector<Term> operands{x, mirrored(graph, graph.operand(1), window)};
  if (node.has_input(2)) operands.push_back(graph.operand(2));
  return graph.finish(graph.apply(Op::kConv, operands, {{"dilations", window.dilations}, {"group", window.group}}));
}

}  // namespace

Rows transposed_conv_rows() {
  static constexpr OperatorRow kRows[] = {
      {"ConvTranspose", translate_transposed_conv,
       "auto_pad:s dilations:I group:i kernel_shape:I output_padding:I output_shape:I pads:I strides:I", Operands::between(2, 3)},
  };
  return kRows;
}

}  // namespace fuselab::onnx
