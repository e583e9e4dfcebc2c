// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/import/node_import.h"

namespace fuselab::onnx {
namespace {

// A target shape in numbers: symbols as 0 where the input has the same one in place, else one of them as -1.
std::optional<std::vector<std::int64_t>> reshape_target(const std::vector<Dim>& target, const Shape& input) {
  std::vector<std::int64_t> numbers;
  bool inferred = std::any_of(target.begin(), target.end(), [](const Dim& dim) { return dim == Dim(-1); });
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (!target[i].is_symbol()) {
      numbers.push_back(target[i].extent());
    } else if (i < input.size() && input[i] == target[i]) {
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

}  // namespace

Result<Translated> translate_reshape(NodeImport& node) {
  std::optional<std::vector<std::int64_t>> shape = node.integer_list("shape");
  if (node.has_input(1) && node.known(1) != nullptr && !is_floating(node.known(1)->dtype)) {
    shape = reshape_target(node.known(1)->integers, node.type(0).shape);
  }
  if (!shape) return Translated::opaque("its target shape is computed");
  if (node.known(0) != nullptr && node.known(0)->size() == 1 && shape->size() <= 1) {
    Translated folded;
    folded.known = *node.known(0);
    folded.known->shape = std::vector<std::int64_t>(shape->size(), 1);
    return folded;
  }
  Attributes attributes{{"shape", *shape}};
  if (node.integer("allowzero", 0) != 0) attributes.set("allowzero", std::int64_t{1});
  return node.emit(Op::kReshape, {node.value(0)}, std::move(attributes));
}

Result<Translated> translate_axes_view(NodeImport& node) {
  const auto axes = list(node, "axes", 1);
  if (node.has_input(1) && !axes) return Translated::opaque("its axes are computed");
  const bool squeeze = node.op() == "Squeeze";
  const KnownTensor* known = node.known(0);
  // In shape arithmetic only scalars become vectors of one and back.
  if (known != nullptr && known->size() == 1 && axes && axes->size() == 1 && known->shape.size() == (squeeze ? 1 : 0)) {
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
  const KnownTensor* known = node.has_input(1) ? node.known(1) : nullptr;
  const auto target =
      known != nullptr && !is_floating(known->dtype) ? expand_target(known->integers, node.type(0).shape) : std::nullopt;
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
  if (const KnownTensor* known = node.known(0); known != nullptr && starts.size() == 1 && ends.size() == 1) {
    Translated folded;
    const auto steps = attributes.integers("steps", {1});
    folded.known = fold_slice(*known, starts[0], ends[0], steps.empty() ? 1 : steps.front());
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
    attributes.set("num_outputs", node.integer("num_outputs", node.proto().output_size()));
  }
  return node.emit(Op::kSplit, {node.value(0)}, std::move(attributes));
}

Result<Translated> translate_concat(NodeImport& node) {
  std::vector<const KnownTensor*> parts;
  for (std::size_t i = 0; i < node.input_count(); ++i) parts.push_back(node.known(i));
  if (std::none_of(parts.begin(), parts.end(), [](const KnownTensor* part) { return part == nullptr; })) {
    Translated folded;
    if ((folded.known = fold_concat(parts))) return folded;
  }
  // Opset 1 to 3 had a default.
  return node.emit(Op::kConcat, node.values(), {{"axis", node.integer("axis", 1)}});
}

Result<Translated> translate_gather(NodeImport& node) {
  const std::int64_t axis = node.integer("axis", 0);
  if (axis == 0 && node.known(0) != nullptr && node.known(1) != nullptr) {
    Translated folded;
    if ((folded.known = fold_gather(*node.known(0), *node.known(1)))) return folded;
  }
  return node.emit(Op::kGather, {node.value(0), node.value(1)}, {{"axis", axis}});
}

}  // namespace fuselab::onnx
