// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/import/evaluation/call.h"
#include "onnx_subset.pb.h"

namespace fuselab::onnx {
namespace {

// How a reduction begins, takes one number in, and ends.
struct Fold {
  double start = 0;
  double (*take)(double held, double number) = nullptr;
  double (*end)(double held, double count) = nullptr;
};

double added(double held, double number) {
  return held + number;
}
double added_square(double held, double number) {
  return held + number * number;
}
double unchanged(double held, double) {
  return held;
}

const std::unordered_map<std::string, Fold>& folds() {
  static const std::unordered_map<std::string, Fold> kFolds = {
      {"ReduceSum", {0, added, unchanged}},
      {"ReduceMean", {0, added, [](double held, double count) { return held / count; }}},
      {"ReduceMax", {-INFINITY, [](double held, double x) { return std::isnan(x) ? x : std::max(held, x); }, unchanged}},
      {"ReduceMin", {INFINITY, [](double held, double x) { return std::isnan(x) ? x : std::min(held, x); }, unchanged}},
      {"ReduceProd", {1, [](double held, double x) { return held * x; }, unchanged}},
      {"ReduceL1", {0, [](double held, double x) { return held + std::fabs(x); }, unchanged}},
      {"ReduceL2", {0, added_square, [](double held, double) { return std::sqrt(held); }}},
      {"ReduceSumSquare", {0, added_square, unchanged}},
      {"ReduceLogSum", {0, added, [](double held, double) { return std::log(held); }}},
  };
  return kFolds;
}

struct Axes {
  std::vector<bool> reduced;  // by axis
  Extents kept, dropped;      // the result's shape with these axes as 1, and without them
};

// Axes were an attribute before operator set 18, of ReduceSum before 13.
Result<std::optional<Axes>> axes_of(const Call& call) {
  const Array& array = call.in(0);
  const bool by_operand = call.opset() >= (call.op() == "ReduceSum" ? 13 : 18);
  const auto given = by_operand ? call.integers(1) : call.list("axes");
  const bool none = !given || given->empty();
  if (none && by_operand && call.integer("noop_with_empty_axes", 0) != 0) return std::optional<Axes>();
  Axes axes;
  axes.reduced.assign(array.shape.size(), none);
  for (const std::int64_t each : given.value_or(Extents())) {
    FL_TRY(const std::int64_t axis, axis_of(each, array.rank()));
    axes.reduced[static_cast<std::size_t>(axis)] = true;
  }
  for (std::size_t i = 0; i < array.shape.size(); ++i) {
    axes.kept.push_back(axes.reduced[i] ? 1 : array.shape[i]);
    if (!axes.reduced[i]) axes.dropped.push_back(array.shape[i]);
  }
  return std::optional(std::move(axes));
}

// Returns the reduction of the elements that fall together.
Result<Array> folded(const Array& array, const Axes& axes, const Fold& fold) {
  FL_TRY(Array result, zeros(axes.kept, array.type));
  result.data.assign(result.data.size(), fold.start);
  const Extents strides = strides_within(axes.kept, array.shape);
  std::size_t place = 0;
  for_each_index(array.shape, [&](const Extents& index) {
    std::int64_t target = 0;
    for (std::size_t i = 0; i < index.size(); ++i) target += index[i] * strides[i];
    double& held = result.data[static_cast<std::size_t>(target)];
    held = fold.take(held, array.data[place++]);
  });
  const double count = result.count() > 0 ? static_cast<double>(array.count()) / static_cast<double>(result.count()) : 1;
  for (double& number : result.data) number = fold.end(number, count);
  return result;
}

Evaluated evaluate_reduction(const Call& call) {
  FL_TRY_VOID(call.needs(1));
  FL_TRY(const auto axes, axes_of(call));
  if (!axes) return std::vector{call.in(0)};
  Array array = call.in(0);
  Array result;
  if (call.op() == "ReduceLogSumExp") {
    FL_TRY(const Array most, folded(array, *axes, folds().at("ReduceMax")));
    FL_TRY(const Array beside, expanded(most, array.shape));
    for (std::size_t i = 0; i < array.data.size(); ++i)
      array.data[i] = std::isinf(beside.data[i]) ? std::exp(array.data[i]) : std::exp(array.data[i] - beside.data[i]);
    FL_TRY(result, folded(array, *axes, folds().at("ReduceLogSum")));
    for (std::size_t i = 0; i < result.data.size(); ++i) result.data[i] += std::isinf(most.data[i]) ? 0 : most.data[i];
  } else {
    FL_TRY(result, folded(array, *axes, folds().at(call.op())));
  }
  if (!array.is_real() && call.op() == "ReduceMean") {
    for (double& number : result.data) number = std::trunc(number);
  }
  if (call.integer("keepdims", 1) == 0) result.shape = axes->dropped;
  return std::vector{std::move(result)};
}

// Before operator set 13 these took all axes from the given one on as one row.
Evaluated evaluate_softmax(const Call& call) {
  FL_TRY_VOID(call.needs(1));
  Array result = call.in(0);
  const bool flattens = call.opset() < 13;
  FL_TRY(const std::int64_t axis, axis_of(call.integer("axis", flattens ? 1 : -1), std::max<std::int64_t>(1, result.rank())));
  const std::int64_t inner = flattens ? 1 : product(result.shape, std::min(axis + 1, result.rank()), result.rank());
  const std::int64_t extent = result.rank() == 0 ? 1 : product(result.shape, axis, flattens ? result.rank() : axis + 1);
  const std::int64_t rows = extent > 0 ? result.count() / extent : 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto at = [&](std::int64_t i) -> double& {
      return result.data[static_cast<std::size_t>((row / inner * extent + i) * inner + row % inner)];
    };
    double most = -INFINITY, sum = 0;
    std::int64_t first = 0;
    for (std::int64_t i = 0; i < extent; ++i) {
      if (at(i) > most) first = i;
      most = std::max(most, at(i));
    }
    if (call.op() == "Hardmax") {
      for (std::int64_t i = 0; i < extent; ++i) at(i) = i == first ? 1 : 0;
      continue;
    }
    for (std::int64_t i = 0; i < extent; ++i) sum += std::exp(at(i) - most);
    for (std::int64_t i = 0; i < extent; ++i)
      at(i) = call.op() == "Softmax" ? std::exp(at(i) - most) / sum : at(i) - most - std::log(sum);
  }
  return std::vector{std::move(result)};
}

}  // namespace

void add_reductions(EvaluatorTable& table) {
  for (const auto& [name, fold] : folds()) table[name] = evaluate_reduction;
  table["ReduceLogSumExp"] = evaluate_reduction;
  for (const char* const name : {"Softmax", "LogSoftmax", "Hardmax"}) table[name] = evaluate_softmax;
}

}  // namespace fuselab::onnx
