// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "core/import/evaluation/call.h"
#include "onnx_subset.pb.h"

namespace fuselab::onnx {
namespace {

// Another shape for the same numbers.
Evaluated reshaped(const Array& array, Extents shape) {
  FL_TRY(const std::int64_t count, count_of(shape));
  if (count != array.count())
    return invalid_argument("makes " + std::to_string(count) + " numbers of " + std::to_string(array.count()));
  Array result = array;
  result.shape = std::move(shape);
  return std::vector{std::move(result)};
}

Evaluated evaluate_reshape(const Call& call) {
  FL_TRY_VOID(call.needs(call.opset() < 5 ? 1 : 2));
  const Array& array = call.in(0);
  const auto wanted = call.opset() < 5 ? call.list("shape") : call.integers(1);
  Extents shape = wanted.value_or(Extents());
  std::int64_t known = 1;
  std::int64_t* open = nullptr;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 && call.integer("allowzero", 0) == 0) {
      if (i >= array.shape.size()) return invalid_argument("keeps an extent that its operand does not have");
      shape[i] = array.shape[i];
    }
    if (shape[i] == -1) {
      open = &shape[i];
    } else if (shape[i] < 0 || __builtin_mul_overflow(known, shape[i], &known)) {
      return invalid_argument("has an extent that is none");
    }
  }
  if (open != nullptr) *open = known == 0 ? 0 : array.count() / known;
  return reshaped(array, std::move(shape));
}

Evaluated evaluate_flatten(const Call& call) {
  FL_TRY_VOID(call.needs(1));
  const Extents& shape = call.in(0).shape;
  const std::int64_t rank = call.in(0).rank();
  std::int64_t axis = call.integer("axis", 1);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis > rank) return invalid_argument("has no such axis");
  return reshaped(call.in(0), {product(shape, 0, axis), product(shape, axis, rank)});
}

std::optional<Extents> axes_of(const Call& call) {
  return call.opset() < 13 ? call.list("axes") : call.integers(1);
}

Evaluated evaluate_squeeze(const Call& call) {
  FL_TRY_VOID(call.needs(1));
  const Array& array = call.in(0);
  const auto axes = axes_of(call);
  std::vector<bool> removed(array.shape.size());
  for (std::size_t i = 0; i < removed.size(); ++i) removed[i] = !axes && array.shape[i] == 1;
  for (const std::int64_t each : axes.value_or(Extents())) {
    FL_TRY(const std::int64_t axis, axis_of(each, array.rank()));
    removed[static_cast<std::size_t>(axis)] = true;
  }
  Extents shape;
  for (std::size_t i = 0; i < removed.size(); ++i) {
    if (!removed[i]) shape.push_back(array.shape[i]);
  }
  return reshaped(array, std::move(shape));
}

Evaluated evaluate_unsqueeze(const Call& call) {
  FL_TRY_VOID(call.needs(1));
  const auto axes = axes_of(call);
  if (!axes) return invalid_argument("has no axes");
  const auto rank = call.in(0).rank() + static_cast<std::int64_t>(axes->size());
  std::vector<bool> added(static_cast<std::size_t>(rank));
  for (const std::int64_t each : *axes) {
    FL_TRY(const std::int64_t axis, axis_of(each, rank));
    added[static_cast<std::size_t>(axis)] = true;
  }
  Extents shape;
  std::size_t next = 0;
  for (const bool is_new : added) {
    if (!is_new && next >= call.in(0).shape.size()) return invalid_argument("names an axis twice");
    shape.push_back(is_new ? 1 : call.in(0).shape[next++]);
  }
  return reshaped(call.in(0), std::move(shape));
}

// Reads `source` for each index of the result: element = base + Σ index · stride.
Result<Array> gathered(const Array& array, const Extents& shape, const Extents& strides, std::int64_t base = 0) {
  FL_TRY(Array result, zeros(shape, array.type));
  std::size_t place = 0;
  for_each_index(shape, [&](const Extents& index) {
    std::int64_t source = base;
    for (std::size_t i = 0; i < index.size(); ++i) source += index[i] * strides[i];
    result.data[place++] = array.data[static_cast<std::size_t>(source)];
  });
  return result;
}

Evaluated evaluate_transpose(const Call& call) {
  FL_TRY_VOID(call.needs(1));
  const Array& array = call.in(0);
  Extents perm(array.shape.size());
  std::iota(perm.rbegin(), perm.rend(), 0);
  if (const auto given = call.list("perm")) perm = *given;
  Extents sorted = perm, shape, strides;
  std::sort(sorted.begin(), sorted.end());
  if (perm.size() != array.shape.size()) return invalid_argument("has a perm of another rank");
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<std::int64_t>(i)) return invalid_argument("has a perm that is no permutation");
  }
  const Extents own = strides_of(array.shape);
  for (const std::int64_t axis : perm) {
    shape.push_back(array.shape[static_cast<std::size_t>(axis)]);
    strides.push_back(own[static_cast<std::size_t>(axis)]);
  }
  FL_TRY(Array result, gathered(array, shape, strides));
  return std::vector{std::move(result)};
}

Evaluated evaluate_expand(const Call& call) {
  FL_TRY_VOID(call.needs(2));
  FL_TRY(const Extents shape, broadcast(call.in(0).shape, *call.integers(1)));
  FL_TRY(Array result, expanded(call.in(0), shape));
  return std::vector{std::move(result)};
}

Evaluated evaluate_tile(const Call& call) {
  FL_TRY_VOID(call.needs(2));
  const Array& array = call.in(0);
  const Extents repeats = *call.integers(1);
  if (repeats.size() != array.shape.size()) return invalid_argument("has repeats that do not fit its operand");
  Extents shape = array.shape;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (__builtin_mul_overflow(shape[i], repeats[i], &shape[i])) return invalid_argument("has an extent that is none");
  }
  FL_TRY(Array result, zeros(shape, array.type));
  const Extents strides = strides_of(array.shape);
  std::size_t place = 0;
  for_each_index(shape, [&](const Extents& index) {
    std::int64_t source = 0;
    for (std::size_t i = 0; i < index.size(); ++i) source += index[i] % array.shape[i] * strides[i];
    result.data[place++] = array.data[static_cast<std::size_t>(source)];
  });
  return std::vector{std::move(result)};
}

Evaluated evaluate_concat(const Call& call) {
  FL_TRY_VOID(call.needs(std::max<std::size_t>(1, call.count())));
  const Array& first = call.in(0);
  FL_TRY(const std::int64_t axis, axis_of(call.integer("axis", 1), first.rank()));
  Extents shape = first.shape;
  const auto at = static_cast<std::size_t>(axis);
  shape[at] = 0;
  for (std::size_t i = 0; i < call.count(); ++i) {
    Extents like = call.in(i).shape;
    if (like.size() != shape.size()) return invalid_argument("joins tensors of other ranks");
    const std::int64_t extent = like[at];
    like[at] = shape[at];
    if (like != shape) return invalid_argument("joins tensors of other extents");
    shape[at] += extent;
  }
  FL_TRY(Array result, zeros(shape, first.type));
  const std::int64_t outer = product(shape, 0, axis), inner = product(shape, axis + 1, first.rank());
  auto out = result.data.begin();
  for (std::int64_t row = 0; row < outer; ++row) {
    for (std::size_t i = 0; i < call.count(); ++i) {
      const std::int64_t size = call.in(i).shape[at] * inner;
      out = std::copy_n(call.in(i).data.begin() + row * size, size, out);
    }
  }
  return std::vector{std::move(result)};
}

Evaluated evaluate_split(const Call& call) {
  FL_TRY_VOID(call.needs(1));
  const Array& array = call.in(0);
  FL_TRY(const std::int64_t axis, axis_of(call.integer("axis", 0), array.rank()));
  const auto at = static_cast<std::size_t>(axis);
  const std::int64_t extent = array.shape[at];
  auto sizes = call.opset() < 13 ? call.list("split") : call.integers(1);
  if (!sizes) {
    const std::int64_t parts = call.integer("num_outputs", call.results());
    if (parts < 1 || parts > (1 << 16)) return invalid_argument("makes no parts, or too many");
    const std::int64_t each = (extent + parts - 1) / parts;
    sizes.emplace();
    for (std::int64_t i = 0; i < parts; ++i) sizes->push_back(std::max<std::int64_t>(0, std::min(each, extent - i * each)));
  }
  std::vector<Array> results;
  const Extents strides = strides_of(array.shape);
  std::int64_t start = 0;
  for (const std::int64_t size : *sizes) {
    if (size < 0 || size > extent - start) return invalid_argument("has parts that do not fit its operand");
    Extents shape = array.shape;
    shape[at] = size;
    FL_TRY(Array part, gathered(array, shape, strides, start * strides[at]));
    results.push_back(std::move(part));
    start += size;
  }
  return results;
}

Evaluated evaluate_slice(const Call& call) {
  FL_TRY_VOID(call.needs(1));
  const Array& array = call.in(0);
  const bool by_attributes = call.opset() < 10;
  const auto starts = by_attributes ? call.list("starts") : call.integers(1);
  const auto ends = by_attributes ? call.list("ends") : call.integers(2);
  if (!starts || !ends || starts->size() != ends->size()) return invalid_argument("has starts that do not fit its ends");
  Extents axes(starts->size()), steps(starts->size(), 1);
  std::iota(axes.begin(), axes.end(), 0);
  if (const auto given = by_attributes ? call.list("axes") : call.integers(3)) axes = *given;
  if (const auto given = by_attributes ? std::nullopt : call.integers(4)) steps = *given;
  if (axes.size() != starts->size() || steps.size() != starts->size())
    return invalid_argument("has axes that do not fit its starts");
  Extents shape = array.shape, strides = strides_of(array.shape);
  std::vector<bool> sliced(array.shape.size());
  std::int64_t base = 0;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    FL_TRY(const std::int64_t axis, axis_of(axes[i], array.rank()));
    const auto at = static_cast<std::size_t>(axis);
    if (sliced[at]) return invalid_argument("names an axis twice");
    sliced[at] = true;
    const std::int64_t extent = array.shape[at], step = steps[i];
    if (step == 0) return invalid_argument("has the step 0");
    const auto place = [&](std::int64_t index, std::int64_t least, std::int64_t most) {
      return std::min(std::max(index < 0 ? index + extent : index, least), most);
    };
    const std::int64_t start = step > 0 ? place((*starts)[i], 0, extent) : place((*starts)[i], 0, extent - 1);
    const std::int64_t end = step > 0 ? place((*ends)[i], 0, extent) : place((*ends)[i], -1, extent - 1);
    const std::int64_t span = step > 0 ? end - start : start - end, size = std::abs(step);
    shape[at] = extent == 0 || span <= 0 ? 0 : (span - 1) / size + 1;
    if (shape[at] == 0) continue;
    base += start * strides[at];
    strides[at] = shape[at] == 1 ? 0 : strides[at] * step;
  }
  FL_TRY(Array result, gathered(array, shape, strides, base));
  return std::vector{std::move(result)};
}

std::int64_t mirrored(std::int64_t index, std::int64_t extent) {
  const std::int64_t period = std::max<std::int64_t>(1, 2 * (extent - 1));
  const std::int64_t place = ((index % period) + period) % period;
  return place < extent ? place : period - place;
}

Evaluated evaluate_pad(const Call& call) {
  FL_TRY_VOID(call.needs(1));
  const Array& array = call.in(0);
  const auto given = call.opset() < 11 ? call.list("pads") : call.integers(1);
  Extents axes(array.shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  if (const auto named = call.opset() < 18 ? std::nullopt : call.integers(3)) axes = *named;
  if (!given || given->size() != 2 * axes.size()) return invalid_argument("has pads that do not fit its axes");
  const std::string mode = call.text("mode", "constant");
  const bool by_operand = call.opset() >= 11 && call.has(2) && call.in(2).count() == 1;
  const double value = by_operand ? call.in(2).data[0] : call.opset() < 11 ? call.real("value", 0) : 0;
  Extents shape = array.shape, before(array.shape.size(), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    FL_TRY(const std::int64_t axis, axis_of(axes[i], array.rank()));
    const auto at = static_cast<std::size_t>(axis);
    if (before[at] != 0 || shape[at] != array.shape[at]) return invalid_argument("names an axis twice");
    before[at] = (*given)[i];
    if (std::abs(before[at]) > (1 << 28) || std::abs((*given)[i + axes.size()]) > (1 << 28))
      return invalid_argument("has pads beyond all memory");
    shape[at] += before[at] + (*given)[i + axes.size()];
    if (mode != "constant" && array.shape[at] == 0) return invalid_argument("has nothing to repeat in its border");
  }
  FL_TRY(Array result, zeros(shape, array.type));
  const Extents strides = strides_of(array.shape);
  std::size_t place = 0;
  for_each_index(shape, [&](const Extents& index) {
    std::int64_t source = 0;
    bool inside = true;
    for (std::size_t i = 0; i < index.size(); ++i) {
      const std::int64_t extent = array.shape[i];
      std::int64_t at = index[i] - before[i];
      inside = inside && at >= 0 && at < extent;
      if (mode == "edge") at = std::min(std::max<std::int64_t>(at, 0), extent - 1);
      if (mode == "reflect") at = mirrored(at, extent);
      if (mode == "wrap") at = ((at % extent) + extent) % extent;
      source += at * strides[i];
    }
    result.data[place++] = inside || mode != "constant" ? array.data[static_cast<std::size_t>(source)] : value;
  });
  return std::vector{std::move(result)};
}

Evaluated evaluate_depth_to_space(const Call& call) {
  FL_TRY_VOID(call.needs(1));
  const Array& array = call.in(0);
  const std::int64_t block = call.integer("blocksize", 0);
  if (array.rank() != 4 || block < 1 || block > (1 << 14)) return invalid_argument("needs four axes and a block");
  const bool to_space = call.op() == "DepthToSpace";
  const bool depth_first = call.text("mode", "DCR") == "DCR";
  const std::int64_t n = array.shape[0], c = array.shape[1], h = array.shape[2], w = array.shape[3];
  if (to_space ? c % (block * block) != 0 : h % block != 0 || w % block != 0)
    return invalid_argument("has extents that its block does not divide");
  const std::int64_t depth = to_space ? c / (block * block) : c;
  const std::int64_t rows = to_space ? h : h / block, columns = to_space ? w : w / block;
  FL_TRY(Array result,
         zeros(to_space ? Extents{n, depth, h * block, w * block} : Extents{n, c * block * block, rows, columns}, array.type));
  for_each_index({n, depth, rows, columns, block, block}, [&](const Extents& at) {
    const std::int64_t cell = at[4] * block + at[5];
    const std::int64_t channel = to_space && !depth_first ? at[1] * block * block + cell : cell * depth + at[1];
    const std::int64_t deep = ((at[0] * depth * block * block + channel) * rows + at[2]) * columns + at[3];
    const std::int64_t wide =
        ((at[0] * depth + at[1]) * rows * block + at[2] * block + at[4]) * columns * block + at[3] * block + at[5];
    result.data[static_cast<std::size_t>(to_space ? wide : deep)] = array.data[static_cast<std::size_t>(to_space ? deep : wide)];
  });
  return std::vector{std::move(result)};
}

Evaluated evaluate_trilu(const Call& call) {
  FL_TRY_VOID(call.needs(1));
  Array result = call.in(0);
  if (result.rank() < 2) return invalid_argument("needs a matrix");
  const std::int64_t k = call.has(1) && call.in(1).count() == 1 ? whole(call.in(1).data[0]) : 0;
  const bool upper = call.integer("upper", 1) != 0;
  const std::int64_t columns = result.shape.back(), rows = result.shape[result.shape.size() - 2];
  for (std::int64_t i = 0; i < result.count(); ++i) {
    const std::int64_t offset = i % columns - i / columns % rows;
    if (upper ? offset < k : offset > k) result.data[static_cast<std::size_t>(i)] = 0;
  }
  return std::vector{std::move(result)};
}

}  // namespace

void add_movement(EvaluatorTable& table) {
  table["Reshape"] = evaluate_reshape;
  table["Flatten"] = evaluate_flatten;
  table["Squeeze"] = evaluate_squeeze;
  table["Unsqueeze"] = evaluate_unsqueeze;
  table["Transpose"] = evaluate_transpose;
  table["Expand"] = evaluate_expand;
  table["Tile"] = evaluate_tile;
  table["Concat"] = evaluate_concat;
  table["Split"] = evaluate_split;
  table["Slice"] = evaluate_slice;
  table["Pad"] = evaluate_pad;
  table["DepthToSpace"] = evaluate_depth_to_space;
  table["SpaceToDepth"] = evaluate_depth_to_space;
  table["Trilu"] = evaluate_trilu;
}

}  // namespace fuselab::onnx
