// SPDX-License-Identifier: Apache-2.0
// Operators that move elements. Where we take as attributes what ONNX gives as operands, the operands must be known.
#include <algorithm>

#include "core/import/nodes/operators.h"
#include "onnx_subset.pb.h"

namespace fuselab::onnx {
namespace {

// A target shape in numbers: symbols as 0 where the input has the same one in place, else one of them as -1.
// `zeros_stay`: a 0 is an extent of its own (allowzero).
std::optional<std::vector<std::int64_t>> reshape_target(const std::vector<Dim>& target, const Shape& input, bool zeros_stay) {
  std::vector<std::int64_t> numbers;
  bool inferred = std::any_of(target.begin(), target.end(), [](const Dim& dim) { return dim == Dim(-1); });
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (!target[i].is_symbol()) {
      numbers.push_back(target[i].extent());
    } else if (!zeros_stay && i < input.size() && input[i] == target[i]) {
      numbers.push_back(0);
    } else if (!inferred) {
      numbers.push_back(-1);
      inferred = true;
    } else {
      return std::nullopt;
    }
  }
  return numbers;
}

// Expand's target in numbers: 1 where the input's own extent stays.
std::optional<std::vector<std::int64_t>> expand_target(const std::vector<Dim>& target, const Shape& input) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < target.size(); ++i) {
    const bool inside = i + input.size() >= target.size();
    const Dim own = inside ? input[i + input.size() - target.size()] : Dim(1);
    if (target[i].is_symbol() && target[i] != own) return std::nullopt;
    numbers.push_back(target[i] == own ? 1 : target[i].extent());
  }
  return numbers;
}

std::optional<std::vector<std::int64_t>> list(NodeImport& node, const std::string& attribute, std::size_t input) {
  return node.has_input(input) ? node.integers(input) : node.integer_list(attribute);
}

// Returns whether axes name the only axis of a vector.
bool is_only_axis(const std::vector<std::int64_t>& axes) {
  return axes.size() == 1 && (axes.front() == 0 || axes.front() == -1);
}

// Returns whether a target is a shape of one element, for a tensor that has one.
bool is_one_element(const std::vector<std::int64_t>& target, std::size_t rank, bool zeros_stay) {
  if (target.size() > 1) return false;
  return target.empty() || target[0] == 1 || target[0] == -1 || (target[0] == 0 && rank > 0 && !zeros_stay);
}

// Since opset 18 the last piece may be smaller.
Result<std::int64_t> equal_pieces(NodeImport& node) {
  const std::int64_t outputs = node.proto().output_size();
  const std::int64_t pieces = node.integer("num_outputs", outputs);
  if (pieces != outputs) {
    return invalid_argument("has " + std::to_string(outputs) + " outputs, but its num_outputs is " + std::to_string(pieces));
  }
  const Shape& shape = node.type(0).shape;
  const auto rank = static_cast<std::int64_t>(shape.size());
  const std::int64_t axis = node.integer("axis", 0);
  if (node.opset() >= 18 || axis < -rank || axis >= rank) return pieces;
  const Dim& dim = shape[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)];
  if (!dim.is_symbol() && dim.extent() % pieces != 0) {
    return invalid_argument("splits an extent of " + dim.text() + " into " + std::to_string(pieces) +
                            " pieces, which are not equal");
  }
  return pieces;
}

Result<Translated> translate_reshape(NodeImport& node) {
  std::optional<std::vector<std::int64_t>> shape = node.integer_list("shape");
  bool zeros_stay = node.integer("allowzero", 0) != 0;
  if (const std::vector<Dim>* target = node.dims(1)) {
    // Without a 0 it makes no difference, and symbols may be copied.
    zeros_stay = zeros_stay && std::find(target->begin(), target->end(), Dim(0)) != target->end();
    shape = reshape_target(*target, node.type(0).shape, zeros_stay);
  }
  if (!shape) return Translated::opaque("its target shape is computed");
  if (node.known(0) != nullptr && node.known(0)->size() == 1 && is_one_element(*shape, node.type(0).shape.size(), zeros_stay)) {
    Translated folded;
    folded.known = *node.known(0);
    folded.known->shape = std::vector<std::int64_t>(shape->size(), 1);
    return folded;
  }
  if (node.known(0) != nullptr && !zeros_stay) {
    Translated folded;
    if ((folded.known = fold_reshape(*node.known(0), *shape))) return folded;
  }
  Attributes attributes{{"shape", *shape}};
  if (zeros_stay) attributes.set("allowzero", std::int64_t{1});
  return node.emit(Op::kReshape, {node.value(0)}, std::move(attributes));
}

// Transposes a matrix of known numbers: exporters turn the pads of their own order around by it.
Result<Translated> translate_transpose(NodeImport& node) {
  const auto perm = node.integer_list("perm");
  if (node.known(0) != nullptr && (!perm || *perm == std::vector<std::int64_t>{1, 0})) {
    Translated folded;
    if ((folded.known = fold_transpose(*node.known(0)))) return folded;
  }
  return translate_direct(node);
}

Result<Translated> translate_axes_view(NodeImport& node) {
  const auto axes = list(node, "axes", 1);
  if (node.has_input(1) && !axes) return Translated::opaque("its axes are computed");
  const bool squeeze = node.op() == "Squeeze";
  const KnownTensor* known = node.known(0);
  // In shape arithmetic only scalars become vectors of one and back.
  const bool only_axis = axes ? is_only_axis(*axes) : squeeze;
  if (known != nullptr && known->size() == 1 && only_axis && known->shape.size() == (squeeze ? 1 : 0)) {
    Translated folded;
    folded.known = *known;
    folded.known->shape = std::vector<std::int64_t>(squeeze ? 0 : 1, 1);
    return folded;
  }
  Attributes attributes;
  if (axes) attributes.set("axes", *axes);
  return node.emit(squeeze ? Op::kSqueeze : Op::kUnsqueeze, {node.value(0)}, std::move(attributes));
}

Result<Translated> translate_expand(NodeImport& node) {
  const std::vector<Dim>* dims = node.dims(1);
  const auto target = dims != nullptr ? expand_target(*dims, node.type(0).shape) : std::nullopt;
  if (!target) return Translated::opaque("its target shape is computed");
  const bool keeps = target->size() <= node.type(0).shape.size() &&
                     std::all_of(target->begin(), target->end(), [](std::int64_t extent) { return extent == 1; });
  if (keeps) return node.emit(Op::kIdentity, {node.value(0)}, {});
  return node.emit(Op::kExpand, {node.value(0)}, {{"shape", *target}});
}

Result<Translated> translate_slice(NodeImport& node) {
  Attributes attributes;
  const char* const names[] = {"starts", "ends", "axes", "steps"};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto numbers = list(node, names[i], i + 1);
    if (!numbers && node.has_input(i + 1)) return Translated::opaque(std::string("its ") + names[i] + " are computed");
    if (numbers) attributes.set(names[i], *numbers);
  }
  const auto starts = attributes.integers("starts");
  const auto ends = attributes.integers("ends");
  const auto steps = attributes.integers("steps", {1});
  const auto axes = attributes.integers("axes", {0});
  const bool along_one = starts.size() == 1 && ends.size() == 1 && steps.size() == 1 && axes.size() == 1;
  if (const KnownTensor* known = node.known(0);
      known != nullptr && along_one && (axes[0] == 0 || axes[0] == -static_cast<std::int64_t>(known->shape.size()))) {
    Translated folded;
    folded.known = fold_slice(*known, starts[0], ends[0], steps[0]);
    if (folded.known) return folded;
  }
  return node.emit(Op::kSlice, {node.value(0)}, std::move(attributes));
}

Result<Translated> translate_split(NodeImport& node) {
  Attributes attributes{{"axis", node.integer("axis", 0)}};
  const auto sizes = list(node, "split", 1);
  if (!sizes && node.has_input(1)) return Translated::opaque("its sizes are computed");
  if (sizes) {
    if (sizes->size() != static_cast<std::size_t>(node.proto().output_size())) {
      return invalid_argument("has " + std::to_string(node.proto().output_size()) + " outputs, but its sizes make " +
                              std::to_string(sizes->size()));
    }
    attributes.set("split", *sizes);
  } else {
    FL_TRY(const std::int64_t pieces, equal_pieces(node));
    attributes.set("num_outputs", pieces);
  }
  return node.emit(Op::kSplit, {node.value(0)}, std::move(attributes));
}

Result<Translated> translate_concat(NodeImport& node) {
  std::vector<const KnownTensor*> parts;
  for (std::size_t i = 0; i < node.input_count(); ++i) parts.push_back(node.known(i));
  Attributes attributes;
  // Opset 1 to 3 had a default.
  if (node.attribute("axis") != nullptr || node.opset() < 4) attributes.set("axis", node.integer("axis", 1));
  const bool known = std::none_of(parts.begin(), parts.end(), [](const KnownTensor* part) { return part == nullptr; });
  if (known && is_only_axis({attributes.integer("axis", 1)})) {
    Translated folded;
    if ((folded.known = fold_concat(parts))) return folded;
  }
  return node.emit(Op::kConcat, node.values(), std::move(attributes));
}

// Pads of some axes as pads of all.
Result<std::vector<std::int64_t>> spread_pads(NodeImport& node, const std::vector<std::int64_t>& pads,
                                              const std::vector<std::int64_t>& axes) {
  const auto rank = static_cast<std::int64_t>(node.type(0).shape.size());
  if (pads.size() != 2 * axes.size()) return invalid_argument("its pads do not fit its axes");
  std::vector<std::int64_t> all(static_cast<std::size_t>(2 * rank), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
    if (axis < 0 || axis >= rank) {
      return invalid_argument("axis " + std::to_string(axes[i]) + " is outside rank " + std::to_string(rank));
    }
    all[static_cast<std::size_t>(axis)] = pads[i];
    all[static_cast<std::size_t>(axis + rank)] = pads[i + axes.size()];
  }
  return all;
}

// Returns what fills the border, which is an attribute before opset 11.
std::optional<double> filling(NodeImport& node) {
  if (node.has_input(2)) return node.known(2) != nullptr ? node.known(2)->scalar() : std::nullopt;
  const auto* value = node.attribute("value");
  return value != nullptr && value->has_f() ? static_cast<double>(value->f()) : 0.0;
}

Result<Translated> translate_pad(NodeImport& node) {
  auto pads = node.has_input(1) ? node.integers(1) : node.integer_list(node.opset() < 2 ? "paddings" : "pads");
  if (!pads && node.has_input(1)) return Translated::opaque("its pads are computed");
  if (!pads) return invalid_argument("has no pads");
  if (node.has_input(3)) {
    const auto axes = node.integers(3);
    if (!axes) return Translated::opaque("its axes are computed");
    FL_TRY(pads, spread_pads(node, *pads, *axes));
  }
  Attributes attributes{{"pads", *pads}, {"mode", node.text("mode", "constant")}};
  if (attributes.text("mode", "") == "constant") {
    const auto value = filling(node);
    if (!value) return Translated::opaque("what fills its border is computed");
    attributes.set("value", *value);
  }
  return node.emit(Op::kPad, {node.value(0)}, attributes);
}

Result<Translated> translate_trilu(NodeImport& node) {
  std::int64_t diagonal = 0;
  if (node.has_input(1)) {
    const auto given = node.integers(1);
    if (!given) return Translated::opaque("its diagonal is computed");
    if (given->size() != 1) return invalid_argument("has " + std::to_string(given->size()) + " diagonals");
    diagonal = given->front();
  }
  return node.emit(Op::kTrilu, {node.value(0)}, {{"k", diagonal}, {"upper", node.integer("upper", 1)}});
}

}  // namespace

Rows movement_rows() {
  static constexpr OperatorRow kRows[] = {
      {"Reshape", translate_reshape, "allowzero:i@14- consumed_inputs:I@1-4 shape:I@1-4"},
      {"Transpose", translate_transpose, "perm:I"},
      {"Flatten", translate_direct, "axis:i"},
      {"Squeeze", translate_axes_view, "axes:I@1-12"},
      {"Unsqueeze", translate_axes_view, "axes:I@1-12"},
      {"Expand", translate_expand},
      {"Slice", translate_slice, "axes:I@1-9 ends:I@1-9 starts:I@1-9", Operands::gaps_beyond(1)},
      {"Split", translate_split, "axis:i num_outputs:i@18- split:I@1-12"},
      {"Concat", translate_concat, "axis:i"},
      {"Pad", translate_pad, "mode:s paddings:I@1-1 pads:I@2-10 value:f@1-10", Operands::gaps_beyond(1)},
      {"Trilu", translate_trilu, "upper:i", Operands::gaps_beyond(1)},
  };
  return kRows;
}

}  // namespace fuselab::onnx
