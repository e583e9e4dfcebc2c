// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "core/import/evaluation/call.h"
#include "onnx_subset.pb.h"

namespace fuselab::onnx {
namespace {

// An index counted from the front; one outside is an error, as ONNX has it.
Result<std::int64_t> placed(double number, std::int64_t extent) {
  std::int64_t index = whole(number);
  if (index < 0) index += extent;
  if (index < 0 || index >= extent)
    return invalid_argument("has the index " + std::to_string(whole(number)) + " where there are " + std::to_string(extent) +
                            " entries");
  return index;
}

Evaluated evaluate_gather(const Call& call) {
  FL_TRY_VOID(call.needs(2));
  const Array& data = call.in(0);
  const Array& indices = call.in(1);
  FL_TRY(const std::int64_t axis, axis_of(call.integer("axis", 0), data.rank()));
  const auto at = static_cast<std::size_t>(axis);
  Extents shape(data.shape.begin(), data.shape.begin() + axis);
  shape.insert(shape.end(), indices.shape.begin(), indices.shape.end());
  shape.insert(shape.end(), data.shape.begin() + axis + 1, data.shape.end());
  FL_TRY(Array result, zeros(shape, data.type));
  const std::int64_t outer = product(data.shape, 0, axis), inner = product(data.shape, axis + 1, data.rank());
  auto out = result.data.begin();
  for (std::int64_t row = 0; row < outer; ++row) {
    for (const double number : indices.data) {
      FL_TRY(const std::int64_t index, placed(number, data.shape[at]));
      out = std::copy_n(data.data.begin() + (row * data.shape[at] + index) * inner, inner, out);
    }
  }
  return std::vector{std::move(result)};
}

Evaluated evaluate_gather_elements(const Call& call) {
  FL_TRY_VOID(call.needs(2));
  const Array& data = call.in(0);
  const Array& indices = call.in(1);
  FL_TRY(const std::int64_t axis, axis_of(call.integer("axis", 0), data.rank()));
  if (indices.rank() != data.rank()) return invalid_argument("has indices of another rank");
  for (std::size_t i = 0; i < data.shape.size(); ++i) {
    if (static_cast<std::int64_t>(i) != axis && indices.shape[i] > data.shape[i])
      return invalid_argument("has indices beyond its data");
  }
  FL_TRY(Array result, zeros(indices.shape, data.type));
  const Extents strides = strides_of(data.shape);
  std::optional<Error> problem;
  std::size_t place = 0;
  for_each_index(indices.shape, [&](const Extents& at) {
    auto index = placed(indices.data[place], data.shape[static_cast<std::size_t>(axis)]);
    if (!index.ok()) problem = index.error();
    std::int64_t source = 0;
    for (std::size_t i = 0; i < at.size() && index.ok(); ++i)
      source += (static_cast<std::int64_t>(i) == axis ? index.value() : at[i]) * strides[i];
    if (index.ok()) result.data[place] = data.data[static_cast<std::size_t>(source)];
    ++place;
  });
  if (problem) return *problem;
  return std::vector{std::move(result)};
}

double reduced(const std::string& how, double held, double update) {
  if (how == "add") return held + update;
  if (how == "mul") return held * update;
  if (how == "max") return std::max(held, update);
  if (how == "min") return std::min(held, update);
  return update;
}

Evaluated evaluate_scatter_elements(const Call& call) {
  FL_TRY_VOID(call.needs(3));
  Array result = call.in(0);
  const Array& indices = call.in(1);
  const Array& updates = call.in(2);
  FL_TRY(const std::int64_t axis, axis_of(call.integer("axis", 0), result.rank()));
  if (indices.shape != updates.shape || indices.rank() != result.rank())
    return invalid_argument("has updates that do not fit its indices");
  for (std::size_t i = 0; i < result.shape.size(); ++i) {
    if (static_cast<std::int64_t>(i) != axis && indices.shape[i] > result.shape[i])
      return invalid_argument("has indices beyond its data");
  }
  const std::string how = call.text("reduction", "none");
  const Extents strides = strides_of(result.shape);
  std::optional<Error> problem;
  std::size_t place = 0;
  for_each_index(indices.shape, [&](const Extents& at) {
    auto index = placed(indices.data[place], result.shape[static_cast<std::size_t>(axis)]);
    if (!index.ok()) problem = index.error();
    std::int64_t target = 0;
    for (std::size_t i = 0; i < at.size() && index.ok(); ++i)
      target += (static_cast<std::int64_t>(i) == axis ? index.value() : at[i]) * strides[i];
    if (index.ok()) {
      double& held = result.data[static_cast<std::size_t>(target)];
      held = reduced(how, held, updates.data[place]);
    }
    ++place;
  });
  if (problem) return *problem;
  return std::vector{std::move(result)};
}

// Where a row of indices leads, and how many numbers lie there.
struct Slices {
  std::int64_t batch = 1;    // rows of indices for each entry of the batch
  std::int64_t batches = 1;  // entries of the batch
  std::int64_t depth = 0;    // indices in a row
  std::int64_t size = 1;     // numbers that a row leads to
};

Result<Slices> slices_of(const Array& data, const Array& indices, std::int64_t batch_dims) {
  if (indices.rank() < 1) return invalid_argument("needs indices with an axis");
  Slices slices;
  slices.depth = indices.shape.back();
  if (batch_dims < 0 || batch_dims >= indices.rank() || slices.depth < 0 || batch_dims + slices.depth > data.rank())
    return invalid_argument("has indices deeper than its data");
  for (std::int64_t i = 0; i < batch_dims; ++i) {
    if (data.shape[static_cast<std::size_t>(i)] != indices.shape[static_cast<std::size_t>(i)])
      return invalid_argument("has batches that differ");
  }
  slices.batches = product(data.shape, 0, batch_dims);
  slices.batch = product(indices.shape, batch_dims, indices.rank() - 1);
  slices.size = product(data.shape, batch_dims + slices.depth, data.rank());
  return slices;
}

Result<std::int64_t> slice_at(const Array& data, const Array& indices, const Slices& slices, std::int64_t batch_dims,
                              std::int64_t row) {
  std::int64_t place = slices.batch > 0 ? row / slices.batch : 0;
  for (std::int64_t i = 0; i < slices.depth; ++i) {
    const std::int64_t extent = data.shape[static_cast<std::size_t>(batch_dims + i)];
    FL_TRY(const std::int64_t index, placed(indices.data[static_cast<std::size_t>(row * slices.depth + i)], extent));
    place = place * extent + index;
  }
  return place * slices.size;
}

Evaluated evaluate_gather_nd(const Call& call) {
  FL_TRY_VOID(call.needs(2));
  const Array& data = call.in(0);
  const Array& indices = call.in(1);
  const std::int64_t batch_dims = call.integer("batch_dims", 0);
  FL_TRY(const Slices slices, slices_of(data, indices, batch_dims));
  Extents shape(indices.shape.begin(), indices.shape.end() - 1);
  shape.insert(shape.end(), data.shape.begin() + batch_dims + slices.depth, data.shape.end());
  FL_TRY(Array result, zeros(shape, data.type));
  for (std::int64_t row = 0; row < slices.batches * slices.batch; ++row) {
    FL_TRY(const std::int64_t source, slice_at(data, indices, slices, batch_dims, row));
    std::copy_n(data.data.begin() + source, slices.size, result.data.begin() + row * slices.size);
  }
  return std::vector{std::move(result)};
}

Evaluated evaluate_scatter_nd(const Call& call) {
  FL_TRY_VOID(call.needs(3));
  Array result = call.in(0);
  const Array& indices = call.in(1);
  const Array& updates = call.in(2);
  FL_TRY(const Slices slices, slices_of(result, indices, 0));
  if (updates.count() != slices.batch * slices.size) return invalid_argument("has updates that do not fit its indices");
  const std::string how = call.text("reduction", "none");
  for (std::int64_t row = 0; row < slices.batch; ++row) {
    FL_TRY(const std::int64_t target, slice_at(result, indices, slices, 0, row));
    for (std::int64_t i = 0; i < slices.size; ++i) {
      double& held = result.data[static_cast<std::size_t>(target + i)];
      held = reduced(how, held, updates.data[static_cast<std::size_t>(row * slices.size + i)]);
    }
  }
  return std::vector{std::move(result)};
}

Evaluated evaluate_non_zero(const Call& call) {
  FL_TRY_VOID(call.needs(1));
  const Array& array = call.in(0);
  std::vector<Extents> found;
  std::size_t place = 0;
  for_each_index(array.shape, [&](const Extents& index) {
    if (array.data[place++] != 0) found.push_back(index);
  });
  FL_TRY(Array result, zeros({array.rank(), static_cast<std::int64_t>(found.size())}, 7));
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::size_t axis = 0; axis < array.shape.size(); ++axis)
      result.data[axis * found.size() + i] = static_cast<double>(found[i][axis]);
  }
  return std::vector{std::move(result)};
}

// The first operand's extents but for one axis, and how a row along it is laid out.
struct Rows {
  std::int64_t axis = 0, extent = 0, outer = 1, inner = 1;
  std::size_t at(std::int64_t row, std::int64_t i) const {
    return static_cast<std::size_t>((row / inner * extent + i) * inner + row % inner);
  }
};

Result<Rows> rows_of(const Array& array, std::int64_t axis) {
  Rows rows;
  FL_TRY(rows.axis, axis_of(axis, array.rank()));
  rows.extent = array.shape[static_cast<std::size_t>(rows.axis)];
  rows.outer = product(array.shape, 0, rows.axis);
  rows.inner = product(array.shape, rows.axis + 1, array.rank());
  return rows;
}

Evaluated evaluate_top_k(const Call& call) {
  FL_TRY_VOID(call.needs(1));
  const Array& array = call.in(0);
  FL_TRY(const Rows rows, rows_of(array, call.integer("axis", -1)));
  const auto given = call.opset() < 10 ? std::optional<Extents>(Extents{call.integer("k", 0)}) : call.integers(1);
  if (!given || given->size() != 1 || given->front() < 0 || given->front() > rows.extent)
    return invalid_argument("has a k beyond its axis");
  const std::int64_t k = given->front();
  const bool largest = call.integer("largest", 1) != 0;
  Extents shape = array.shape;
  shape[static_cast<std::size_t>(rows.axis)] = k;
  FL_TRY(Array values, zeros(shape, array.type));
  FL_TRY(Array places, zeros(shape, 7));
  Rows out = rows;
  out.extent = k;
  std::vector<std::int64_t> order(static_cast<std::size_t>(rows.extent));
  for (std::int64_t row = 0; row < rows.outer * rows.inner; ++row) {
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
      const double x = array.data[rows.at(row, a)], y = array.data[rows.at(row, b)];
      return largest ? x > y : x < y;
    });
    for (std::int64_t i = 0; i < k; ++i) {
      values.data[out.at(row, i)] = array.data[rows.at(row, order[static_cast<std::size_t>(i)])];
      places.data[out.at(row, i)] = static_cast<double>(order[static_cast<std::size_t>(i)]);
    }
  }
  return std::vector{std::move(values), std::move(places)};
}

Evaluated evaluate_arg(const Call& call) {
  FL_TRY_VOID(call.needs(1));
  const Array& array = call.in(0);
  FL_TRY(const Rows rows, rows_of(array, call.integer("axis", 0)));
  if (rows.extent < 1) return invalid_argument("has an empty axis");
  const bool last = call.integer("select_last_index", 0) != 0, most = call.op() == "ArgMax";
  Extents shape = array.shape;
  shape[static_cast<std::size_t>(rows.axis)] = 1;
  if (call.integer("keepdims", 1) == 0) shape.erase(shape.begin() + rows.axis);
  FL_TRY(Array result, zeros(shape, 7));
  for (std::int64_t row = 0; row < result.count(); ++row) {
    std::int64_t best = 0;
    for (std::int64_t i = 1; i < rows.extent; ++i) {
      const double held = array.data[rows.at(row, best)], here = array.data[rows.at(row, i)];
      if (most ? here > held : here < held) best = i;
      if (last && here == held) best = i;
    }
    result.data[static_cast<std::size_t>(row)] = static_cast<double>(best);
  }
  return std::vector{std::move(result)};
}

Evaluated evaluate_cumulated(const Call& call) {
  FL_TRY_VOID(call.needs(2));
  if (call.in(1).count() != 1) return invalid_argument("needs one axis");
  Array result = call.in(0);
  FL_TRY(const Rows rows, rows_of(result, whole(call.in(1).data[0])));
  const bool exclusive = call.integer("exclusive", 0) != 0, reverse = call.integer("reverse", 0) != 0;
  for (std::int64_t row = 0; row < rows.outer * rows.inner; ++row) {
    double sum = 0;
    for (std::int64_t i = 0; i < rows.extent; ++i) {
      double& number = result.data[rows.at(row, reverse ? rows.extent - 1 - i : i)];
      const double here = number;
      number = exclusive ? sum : sum + here;
      sum += here;
    }
  }
  return std::vector{std::move(result)};
}

}  // namespace

void add_indexed(EvaluatorTable& table) {
  table["Gather"] = evaluate_gather;
  table["GatherElements"] = evaluate_gather_elements;
  table["GatherND"] = evaluate_gather_nd;
  table["Scatter"] = evaluate_scatter_elements;
  table["ScatterElements"] = evaluate_scatter_elements;
  table["ScatterND"] = evaluate_scatter_nd;
  table["NonZero"] = evaluate_non_zero;
  table["TopK"] = evaluate_top_k;
  table["ArgMax"] = evaluate_arg;
  table["ArgMin"] = evaluate_arg;
  table["CumSum"] = evaluate_cumulated;
}

}  // namespace fuselab::onnx
