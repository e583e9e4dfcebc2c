// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/ops/infer.h"
#include "core/ops/op_row.h"

namespace fuselab::ops {
namespace {

using enum AccessPattern;
using enum AttributeKind;
using enum OperandRole;

// More pieces than any model splits a tensor into; bounds what a short text can make us build.
constexpr std::int64_t kMaxPieces = 4096;

Result<Types> transpose(const Call& call) {
  const auto rank = call.shape(0).size();
  std::vector<std::int64_t> reversed(rank);
  for (std::size_t i = 0; i < rank; ++i) reversed[i] = static_cast<std::int64_t>(rank - 1 - i);
  const auto perm = call.attributes.integers("perm", reversed);
  if (perm.size() != rank) return failure(call, "perm must name each of the " + std::to_string(rank) + " axes once");
  FL_TRY([[maybe_unused]] const auto flags, axis_flags(call, perm, call.rank()));
  Shape shape;
  for (const std::int64_t axis : perm) {
    if (axis < 0) return failure(call, "perm must not be negative");
    shape.push_back(call.shape(0)[static_cast<std::size_t>(axis)]);
  }
  return Types{{call.dtype(), std::move(shape)}};
}

// Returns what is left of the input's extents once the known extents of the target are taken away.
std::optional<Dim> remaining_extent(const Shape& input, const Shape& known) {
  Shape left = input;
  Shape others;
  for (const Dim& dim : known) {
    const auto found = std::find(left.begin(), left.end(), dim);
    if (found != left.end()) {
      left.erase(found);
    } else {
      others.push_back(dim);
    }
  }
  const auto divisor = product(others), all = product(left);
  if (!divisor || !all || *divisor == Dim(0)) return std::nullopt;
  return exact_quotient(*all, *divisor);
}

Result<Types> reshape(const Call& call) {
  const bool zero_copies = call.attributes.integer("allowzero", 0) == 0;
  const auto target = call.attributes.integers("shape");
  if (target.size() > kMaxRank) return failure(call, "more than 8 dimensions");
  Shape shape;
  Shape known;
  std::optional<std::size_t> inferred;
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (target[i] < -1) return failure(call, "shape has " + std::to_string(target[i]) + " in it");
    if (target[i] == -1) {
      if (inferred) return failure(call, "only one extent may be -1");
      inferred = i;
      shape.emplace_back(1);
      continue;
    }
    const bool copied = target[i] == 0 && zero_copies;
    if (copied && i >= call.shape(0).size())
      return failure(call, "extent " + std::to_string(i) + " is 0, but there is none to copy");
    shape.push_back(copied ? call.shape(0)[i] : Dim(target[i]));
    known.push_back(shape.back());
  }
  const auto rest = remaining_extent(call.shape(0), known);
  if (!inferred) {
    if (rest && *rest == Dim(1)) return Types{{call.dtype(), std::move(shape)}};
    const auto before = element_count(call.shape(0));
    const auto after = element_count(shape);
    if (before.ok() && after.ok() && before.value() == after.value()) return Types{{call.dtype(), std::move(shape)}};
    return failure(call, "cannot be given the shape " + shape_text(shape) + ": the number of elements differs");
  }
  if (!rest) return failure(call, "the extent -1 is no whole number for all values of the symbols");
  shape[*inferred] = *rest;
  return Types{{call.dtype(), std::move(shape)}};
}

Result<Types> flatten(const Call& call) {
  const std::int64_t axis = call.attributes.integer("axis", 1);
  if (axis < -call.rank() || axis > call.rank()) return failure(call, "axis " + std::to_string(axis) + " is outside the rank");
  const auto cut = static_cast<std::size_t>(axis < 0 ? axis + call.rank() : axis);
  const std::span<const Dim> dims = call.shape(0);
  const auto outer = product(dims.first(cut));
  const auto inner = product(dims.subspan(cut));
  if (!outer || !inner) return failure(call, "a product of its extents is too large");
  return Types{{call.dtype(), {*outer, *inner}}};
}

Result<Types> unsqueeze(const Call& call) {
  const auto axes = call.attributes.integers("axes");
  if (axes.size() + call.shape(0).size() > kMaxRank) return failure(call, "more than 8 dimensions");
  FL_TRY(const auto added, axis_flags(call, axes, call.rank() + static_cast<int>(axes.size())));
  Shape shape;
  auto next = call.shape(0).begin();
  for (const bool is_new : added) shape.push_back(is_new ? Dim(1) : *next++);
  return Types{{call.dtype(), std::move(shape)}};
}

Result<Types> squeeze(const Call& call) {
  FL_TRY(const auto named, axis_flags(call, call.attributes.integers("axes"), call.rank()));
  const bool all_ones = !call.attributes.has("axes");
  Shape shape;
  for (std::size_t i = 0; i < named.size(); ++i) {
    const Dim& dim = call.shape(0)[i];
    if (named[i] && dim != Dim(1)) return failure(call, "axis " + std::to_string(i) + " has extent " + dim.text() + ", not 1");
    const bool drop = named[i] || (all_ones && dim == Dim(1));
    if (!drop) shape.push_back(dim);
  }
  return Types{{call.dtype(), std::move(shape)}};
}

Result<Types> expand(const Call& call) {
  const auto extents = call.attributes.integers("shape");
  if (extents.size() > kMaxRank) return failure(call, "more than 8 dimensions");
  Shape target;
  for (const std::int64_t each : extents) {
    if (each < 0) return failure(call, "shape has " + std::to_string(each) + " in it");
    target.emplace_back(each);
  }
  auto combined = broadcast_shapes(call.shape(0), target);
  if (!combined.ok()) return failure(call, combined.error().message);
  return Types{{call.dtype(), std::move(combined).value()}};
}

Result<Types> concat(const Call& call) {
  FL_TRY_VOID(require_same_dtype(call));
  FL_TRY(const int axis, normal_axis(call, call.attributes.integer("axis", 0), call.rank()));
  const auto along = static_cast<std::size_t>(axis);
  Shape shape = call.shape(0);
  for (std::size_t i = 1; i < call.inputs.size(); ++i) {
    const Shape& next = call.shape(i);
    if (next.size() != shape.size()) return failure(call, "operand " + std::to_string(i) + " has another rank");
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (d != along && !same(shape[d], next[d])) {
        return failure(call, "operand " + std::to_string(i) + " differs along axis " + std::to_string(d) + ": " + next[d].text() +
                                 " against " + shape[d].text());
      }
    }
    const auto joined = sum(shape[along], next[along]);
    if (!joined) return failure(call, "the joined extent is too large");
    shape[along] = *joined;
  }
  return Types{{call.dtype(), std::move(shape)}};
}

// The extent of start:end:step along a symbol, where it follows whatever the symbol is bound to, as long as it reaches that far:
// from the beginning or a fixed distance after it, to the end or a fixed distance before it.
std::optional<Dim> sliced_symbol(const Dim& dim, std::int64_t start, std::int64_t end, std::int64_t step) {
  constexpr std::int64_t kEverything = 0x7fffffff;  // what exporters write for "to the end", or larger
  if (step < 1 || step > kEverything) return std::nullopt;
  const bool to_end = end >= kEverything;
  if ((!to_end && end >= 0) || end < -kEverything || start > kEverything) return std::nullopt;
  if (start < 0) return to_end && step == 1 && start > -kEverything ? std::optional<Dim>(Dim(-start)) : std::nullopt;
  const auto length = sum(dim, Dim((to_end ? 0 : end) - start + step - 1));
  return length ? quotient(*length, step) : std::nullopt;
}

// The extent of start:end:step along `dim`, by the clamping rules of ONNX Slice.
Result<Dim> sliced(const Call& call, const Dim& dim, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (step == 0) return failure(call, "a step must not be 0");
  if (dim.is_symbol()) {
    const auto extent = sliced_symbol(dim, start, end, step);
    if (extent) return *extent;
    return failure(call, "how much it takes along '" + dim.name() + "' is not known until that is bound");
  }
  const std::int64_t extent = dim.extent();
  const auto clamped = [&](std::int64_t index, std::int64_t least, std::int64_t most) {
    return std::clamp(index < 0 ? index + extent : index, least, most);
  };
  if (step > 0) {
    const std::int64_t length = clamped(end, 0, extent) - clamped(start, 0, extent);
    return Dim(length <= 0 ? 0 : (length - 1) / step + 1);
  }
  const std::int64_t length = clamped(start, 0, std::max<std::int64_t>(extent - 1, 0)) - clamped(end, -1, extent - 1);
  if (length <= 0 || extent == 0) return Dim(0);
  return Dim(step <= -length ? 1 : (length - 1) / -step + 1);
}

Result<Types> slice(const Call& call) {
  const auto starts = call.attributes.integers("starts");
  const auto ends = call.attributes.integers("ends");
  std::vector<std::int64_t> leading(starts.size());
  for (std::size_t i = 0; i < leading.size(); ++i) leading[i] = static_cast<std::int64_t>(i);
  const auto axes = call.attributes.integers("axes", leading);
  const auto steps = call.attributes.integers("steps", std::vector<std::int64_t>(starts.size(), 1));
  if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size()) {
    return failure(call, "starts, ends, axes and steps must have one length");
  }
  FL_TRY([[maybe_unused]] const auto flags, axis_flags(call, axes, call.rank()));
  Shape shape = call.shape(0);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    FL_TRY(const int axis, normal_axis(call, axes[i], call.rank()));
    Dim& dim = shape[static_cast<std::size_t>(axis)];
    FL_TRY(dim, sliced(call, dim, starts[i], ends[i], steps[i]));
  }
  return Types{{call.dtype(), std::move(shape)}};
}

Result<std::vector<std::int64_t>> split_pieces(const Call& call, std::int64_t extent) {
  if (call.attributes.has("split")) return call.attributes.integers("split");
  const std::int64_t count = call.attributes.integer("num_outputs", 0);
  if (count < 1 || count > kMaxPieces) return failure(call, "needs 'split', or 'num_outputs' from 1 to 4096");
  const std::int64_t piece = extent / count + (extent % count != 0 ? 1 : 0);
  std::vector<std::int64_t> pieces(static_cast<std::size_t>(count), piece);
  pieces.back() = extent - piece * (count - 1);
  return pieces;
}

Result<Types> split(const Call& call) {
  FL_TRY(const int axis, normal_axis(call, call.attributes.integer("axis", 0), call.rank()));
  const auto along = static_cast<std::size_t>(axis);
  const Dim& dim = call.shape(0)[along];
  if (dim.is_symbol()) return failure(call, "'" + dim.name() + "' cannot be split until it is bound");
  FL_TRY(const auto pieces, split_pieces(call, dim.extent()));
  Types types;
  std::int64_t left = dim.extent();
  for (const std::int64_t piece : pieces) {
    if (piece < 0 || piece > left) return failure(call, "the pieces do not add up to " + dim.text());
    left -= piece;
    types.push_back(call.inputs[0]);
    types.back().shape[along] = Dim(piece);
  }
  if (left != 0) return failure(call, "the pieces do not add up to " + dim.text());
  return types;
}

Result<Types> gather(const Call& call) {
  if (call.dtype(1) != DType::kI64 && call.dtype(1) != DType::kI32) return failure(call, "indices must be i32 or i64");
  FL_TRY(const int axis, normal_axis(call, call.attributes.integer("axis", 0), call.rank()));
  Shape shape(call.shape(0).begin(), call.shape(0).begin() + axis);
  shape.insert(shape.end(), call.shape(1).begin(), call.shape(1).end());
  shape.insert(shape.end(), call.shape(0).begin() + axis + 1, call.shape(0).end());
  return Types{{call.dtype(), std::move(shape)}};
}

// These keep a part of their input and fill in the rest.
Result<Types> trilu(const Call& call) {
  if (call.rank() < 2) return failure(call, "needs matrices");
  return Types{call.inputs[0]};
}

Result<Types> pad(const Call& call) {
  const auto pads = call.attributes.integers("pads");
  const std::size_t rank = call.shape(0).size();
  if (pads.size() != 2 * rank) return failure(call, "pads must have two numbers for each axis");
  const std::string mode = call.attributes.text("mode", "constant");
  const bool copies = mode == "reflect" || mode == "edge" || mode == "wrap";
  if (!copies && mode != "constant") {
    return failure(call, "mode must be \"constant\", \"reflect\", \"edge\" or \"wrap\", got \"" + mode + "\"");
  }
  Shape shape = call.shape(0);
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t before = pads[i], after = pads[rank + i];
    if (before == 0 && after == 0) continue;
    const auto partly = sum(shape[i], Dim(before));
    const auto extent = partly ? sum(*partly, Dim(after)) : std::nullopt;
    const bool is_number = extent && !extent->is_symbol();
    if (!extent || (is_number && extent->extent() < 0)) return failure(call, "pads do not fit axis " + std::to_string(i));
    if (copies && is_number && extent->extent() > 0 && shape[i] == Dim(0))
      return failure(call, "axis " + std::to_string(i) + " has nothing to copy");
    shape[i] = *extent;
  }
  return Types{{call.dtype(), std::move(shape)}};
}

Schema reshape_attributes() {
  return {required("shape", kIntegers), integer("allowzero", 0)};
}

Schema slice_attributes() {
  return {required("starts", kIntegers), required("ends", kIntegers), optional("axes", kIntegers), optional("steps", kIntegers)};
}

Schema split_attributes() {
  return {integer("axis", 0), optional("split", kIntegers), optional("num_outputs", kInteger)};
}

Schema trilu_attributes() {
  return {integer("k", 0), integer("upper", 1)};
}

Schema pad_attributes() {
  return {text("mode", "constant"), required("pads", kIntegers), real("value", 0.0)};
}

}  // namespace

constexpr Family<Op::kTranspose, Op::kGatherElements> kMovements({
    // {name, access, least and most operands, FLOPs}, types, weight, attributes, FLOPs by formula, roles of operands
    {{Op::kTranspose, "Transpose", kMovement, 1, 1, 0}, transpose, 16, [] { return Schema{optional("perm", kIntegers)}; }},
    {{Op::kReshape, "Reshape", kMovement, 1, 1, 0}, reshape, 16, reshape_attributes},
    {{Op::kFlatten, "Flatten", kMovement, 1, 1, 0}, flatten, 16, [] { return Schema{integer("axis", 1)}; }},
    {{Op::kUnsqueeze, "Unsqueeze", kMovement, 1, 1, 0}, unsqueeze, 16, [] { return Schema{required("axes", kIntegers)}; }},
    {{Op::kSqueeze, "Squeeze", kMovement, 1, 1, 0}, squeeze, 16, [] { return Schema{optional("axes", kIntegers)}; }},
    {{Op::kExpand, "Expand", kMovement, 1, 1, 0}, expand, 16, [] { return Schema{required("shape", kIntegers)}; }},
    {{Op::kConcat, "Concat", kMovement, 1, -1, 0}, concat, 16, [] { return Schema{required("axis", kInteger)}; }},
    {{Op::kSlice, "Slice", kMovement, 1, 1, 0}, slice, 16, slice_attributes},
    {{Op::kSplit, "Split", kMovement, 1, 1, 0}, split, 16, split_attributes},
    {{Op::kGather, "Gather", kGather, 2, 2, 0}, gather, 16, [] { return Schema{integer("axis", 0)}; }},
    {{Op::kTrilu, "Trilu", kMovement, 1, 1, 0}, trilu, 16, trilu_attributes},
    {{Op::kPad, "Pad", kMovement, 1, 1, 0}, pad, 16, pad_attributes},
});

}  // namespace fuselab::ops
