// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/import/evaluation/evaluators.h"
#include "onnx_subset.pb.h"

namespace fuselab::onnx {
namespace {

// x · scale + shift, both laid along the channels, which are the second axis.
Evaluated evaluate_batch_norm(const Call& call) {
  FL_TRY_VOID(call.needs(5));
  Array result = call.in(0);
  if (call.integer("training_mode", 0) != 0 || result.rank() < 2) return Error{ErrorCode::kUnsupported, "normalises in training"};
  const std::int64_t channels = result.shape[1], plane = product(result.shape, 2, result.rank());
  for (std::size_t i = 1; i < 5; ++i) {
    if (call.in(i).count() != channels) return invalid_argument("has operands that do not fit its channels");
  }
  const double epsilon = call.real("epsilon", 1e-5);
  for (std::int64_t i = 0; i < result.count(); ++i) {
    const auto c = static_cast<std::size_t>(i / plane % channels);
    double& number = result.data[static_cast<std::size_t>(i)];
    number = (number - call.in(3).data[c]) / std::sqrt(call.in(4).data[c] + epsilon) * call.in(1).data[c] + call.in(2).data[c];
  }
  return std::vector{std::move(result)};
}

}  // namespace

void normalise(Array& array, std::int64_t extent, double epsilon, bool centred) {
  for (std::int64_t begin = 0; begin + extent <= array.count() && extent > 0; begin += extent) {
    const auto first = array.data.begin() + begin, last = first + extent;
    double mean = 0, square = 0;
    for (auto each = first; each != last && centred; ++each) mean += *each;
    mean /= static_cast<double>(extent);
    for (auto each = first; each != last; ++each) square += (*each - mean) * (*each - mean);
    const double size = std::sqrt(square / static_cast<double>(extent) + epsilon);
    for (auto each = first; each != last; ++each) *each = (*each - mean) / size;
  }
}

namespace {

Evaluated evaluate_row_norm(const Call& call) {
  FL_TRY_VOID(call.needs(1));
  if (call.results() > 1) return Error{ErrorCode::kUnsupported, "gives its mean, too"};
  Array result = call.in(0);
  FL_TRY(const std::int64_t axis, axis_of(call.integer("axis", -1), result.rank()));
  normalise(result, product(result.shape, axis, result.rank()), call.real("epsilon", 1e-5), call.op() == "LayerNormalization");
  for (std::size_t i = 1; i < 3 && call.has(i); ++i) {
    FL_TRY(const Array operand, expanded(call.in(i), result.shape));
    for (std::size_t k = 0; k < result.data.size(); ++k)
      result.data[k] = i == 1 ? result.data[k] * operand.data[k] : result.data[k] + operand.data[k];
  }
  return std::vector{std::move(result)};
}

Evaluated evaluate_group_norm(const Call& call) {
  FL_TRY_VOID(call.needs(3));
  Array result = call.in(0);
  if (result.rank() < 2) return invalid_argument("needs channels");
  const std::int64_t channels = result.shape[1], plane = product(result.shape, 2, result.rank());
  const std::int64_t groups = call.op() == "InstanceNormalization" ? channels : call.integer("num_groups", 0);
  if (groups < 1 || channels % groups != 0) return invalid_argument("has groups that do not fit its channels");
  normalise(result, channels / groups * plane, call.real("epsilon", 1e-5), true);
  const bool by_group = call.op() == "GroupNormalization" && call.opset() < 21;
  const std::int64_t wanted = by_group ? groups : channels;
  if (call.in(1).count() != wanted || call.in(2).count() != wanted)
    return invalid_argument("has operands that do not fit its channels");
  for (std::int64_t i = 0; i < result.count(); ++i) {
    const std::int64_t channel = i / plane % channels;
    const auto at = static_cast<std::size_t>(by_group ? channel / (channels / groups) : channel);
    double& number = result.data[static_cast<std::size_t>(i)];
    number = number * call.in(1).data[at] + call.in(2).data[at];
  }
  return std::vector{std::move(result)};
}

Evaluated evaluate_lp_norm(const Call& call) {
  FL_TRY_VOID(call.needs(1));
  Array result = call.in(0);
  FL_TRY(const std::int64_t axis, axis_of(call.integer("axis", -1), result.rank()));
  const std::int64_t extent = result.shape[static_cast<std::size_t>(axis)], inner = product(result.shape, axis + 1, result.rank());
  const bool absolute = call.integer("p", 2) == 1;
  for (std::int64_t row = 0; extent > 0 && row < result.count() / extent; ++row) {
    const auto at = [&](std::int64_t i) -> double& {
      return result.data[static_cast<std::size_t>((row / inner * extent + i) * inner + row % inner)];
    };
    double sum = 0;
    for (std::int64_t i = 0; i < extent; ++i) sum += absolute ? std::fabs(at(i)) : at(i) * at(i);
    const double size = absolute ? sum : std::sqrt(sum);
    for (std::int64_t i = 0; i < extent; ++i) at(i) = size == 0 ? 0 : at(i) / size;
  }
  return std::vector{std::move(result)};
}

Evaluated evaluate_local_response(const Call& call) {
  FL_TRY_VOID(call.needs(1));
  const Array& x = call.in(0);
  if (x.rank() < 2) return invalid_argument("needs channels");
  const std::int64_t channels = x.shape[1], plane = product(x.shape, 2, x.rank()), size = call.integer("size", 1);
  if (size < 1 || size > channels * 2 + 1) return invalid_argument("has a window that fits nowhere");
  Array result = x;
  for (std::int64_t i = 0; i < x.count(); ++i) {
    const std::int64_t channel = i / plane % channels;
    double sum = 0;
    for (std::int64_t c = std::max<std::int64_t>(0, channel - (size - 1) / 2); c <= std::min(channels - 1, channel + size / 2);
         ++c) {
      const double number = x.data[static_cast<std::size_t>(i + (c - channel) * plane)];
      sum += number * number;
    }
    result.data[static_cast<std::size_t>(i)] /=
        std::pow(call.real("bias", 1) + call.real("alpha", 1e-4) / static_cast<double>(size) * sum, call.real("beta", 0.75));
  }
  return std::vector{std::move(result)};
}

}  // namespace

void add_normalizations(EvaluatorTable& table) {
  table["BatchNormalization"] = evaluate_batch_norm;
  table["LayerNormalization"] = evaluate_row_norm;
  table["RMSNormalization"] = evaluate_row_norm;
  table["SimplifiedLayerNormalization"] = evaluate_row_norm;
  table["InstanceNormalization"] = evaluate_group_norm;
  table["GroupNormalization"] = evaluate_group_norm;
  table["LpNormalization"] = evaluate_lp_norm;
  table["LRN"] = evaluate_local_response;
}

}  // namespace fuselab::onnx
