// SPDX-License-Identifier: Apache-2.0
#include "app/engine/execute/given_tensors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/platform/files/atomic_file.h"
#include "core/reference/special_inputs.h"
#include "core/tensor/npy.h"

namespace fuselab::engine {
namespace {

std::string names_with_types(const Graph& graph, std::span<const ValueId> values) {
  constexpr std::size_t kMostShown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(values.size(), kMostShown); ++i)
    text += (i > 0 ? ", " : "") + graph.value(values[i]).name + " (" + type_text(graph.type(values[i])) + ")";
  return values.size() > kMostShown ? text + " and " + std::to_string(values.size() - kMostShown) + " more" : text;
}

std::vector<ValueId> without_params(const Graph& graph) {
  std::vector<ValueId> inputs;
  for (const ValueId input : graph.inputs()) {
    if (graph.value(input).origin == ValueOrigin::kInput) inputs.push_back(input);
  }
  return inputs;
}

bool has(const Graph& graph, std::span<const ValueId> values, const std::string& name) {
  return std::any_of(values.begin(), values.end(), [&](ValueId value) { return graph.value(value).name == name; });
}

Result<NpyArray> read_array(const std::filesystem::path& file, const TensorType& type) {
  std::error_code failed;
  const auto bytes_there = std::filesystem::file_size(file, failed);
  if (failed) return Error{ErrorCode::kNotFound, file.string() + ": " + failed.message()};
  FL_TRY(const Bytes size, size_of(type));
  constexpr std::int64_t kMostHeader = 1 << 17;  // of the format's first version, and a little
  if (bytes_there > static_cast<std::uintmax_t>(size.count + kMostHeader)) {
    return invalid_argument(file.string() + " has " + std::to_string(bytes_there) + " bytes, and " + type_text(type) + " takes " +
                            std::to_string(size.count));
  }
  FL_TRY(const auto bytes, platform::read_file(file, Bytes{size.count + kMostHeader}));
  auto array = read_npy(bytes);
  if (!array.ok()) return array.error().within(file.string());
  if (array.value().type.dtype != type.dtype || array.value().type.shape != type.shape)
    return invalid_argument(file.string() + " holds " + type_text(array.value().type) + ", and it is " + type_text(type));
  return array;
}

// Sigmoids of ONNX Runtime's are off by 1.3e-7 where they are nearly 0.
constexpr double kAbsolute = 1e-6;

double tolerance_of(DType dtype) {
  return bits_of(dtype) >= 32 ? 1e-4 : 1e-2;
}

}  // namespace

Status check_given(const Graph& graph, const GivenTensors& given) {
  const auto unknown_input = [&](const char* option, const std::string& name) {
    return invalid_argument(std::string(option) + ": '" + name + "' is no input; there are " +
                            names_with_types(graph, without_params(graph)) + ", and the weights");
  };
  for (const auto& [name, file] : given.inputs) {
    if (!has(graph, graph.inputs(), name)) return unknown_input("--input", name);
    if (given.values.contains(name)) return invalid_argument("'" + name + "' is given by --input and by --value");
  }
  for (const auto& [name, value] : given.values) {
    if (!has(graph, graph.inputs(), name)) return unknown_input("--value", name);
  }
  for (const auto& [name, file] : given.expect) {
    if (has(graph, graph.outputs(), name)) continue;
    return invalid_argument("--expect: '" + name + "' is no output; there are " + names_with_types(graph, graph.outputs()));
  }
  return {};
}

Result<InputTensor> input_tensor(const Graph& graph, std::size_t index, const GivenTensors& given, const WeightNumbers& weights,
                                 std::uint64_t seed) {
  using enum InputTensor::Source;
  const ValueId input = graph.inputs()[index];
  const std::string& name = graph.value(input).name;
  const TensorType& type = graph.type(input);
  if (const auto file = given.inputs.find(name); file != given.inputs.end()) {
    auto array = read_array(file->second, type);
    if (!array.ok()) return array.error().within("input '" + name + "'");
    return InputTensor{kGiven, std::move(array.value().bytes)};
  }
  if (const auto value = given.values.find(name); value != given.values.end()) {
    FL_TRY(const std::int64_t count, element_count(type.shape));
    return InputTensor{kGiven, pack({type, std::vector<double>(static_cast<std::size_t>(count), value->second)})};
  }
  if (weights != nullptr) {
    FL_TRY(const Bytes size, size_of(type));
    const auto held = weights->find(name);
    if (held != weights->end() && static_cast<std::int64_t>(held->second.size()) == size.count)
      return InputTensor{kFile, held->second};
  }
  return InputTensor{kSeed, pack(make_input(graph, index, {InputPattern::kUniform, seed}))};
}

Result<std::vector<Expectation>> hold_against(const Graph& graph, const GivenTensors& given,
                                              const std::vector<RealTensor>& outputs) {
  std::vector<Expectation> held;
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    const std::string& name = graph.value(graph.outputs()[i]).name;
    const auto file = given.expect.find(name);
    if (file == given.expect.end()) continue;
    const TensorType& type = graph.type(graph.outputs()[i]);
    auto array = read_array(file->second, type);
    if (!array.ok()) return array.error().within("output '" + name + "'");
    FL_TRY(const RealTensor expected, unpack(type, array.value().bytes));
    Expectation outcome{name, file->second.string()};
    for (const double value : expected.data) {
      if (std::isfinite(value)) outcome.largest_expected = std::max(outcome.largest_expected, std::abs(value));
    }
    for (std::size_t k = 0; k < expected.data.size(); ++k) {
      const double wanted = expected.data[k], found = outputs[i].data[k];
      if (wanted == found || (std::isnan(wanted) && std::isnan(found))) continue;
      const double error = std::abs(found - wanted);
      const double tolerated =
          is_floating(type.dtype) ? tolerance_of(type.dtype) * (std::abs(wanted) + outcome.largest_expected) + kAbsolute : 0;
      const bool comparable = std::isfinite(error) && tolerated > 0;
      if (std::isfinite(error)) outcome.largest_error = std::max(outcome.largest_error, error);
      outcome.worst_ratio = std::max(outcome.worst_ratio, comparable ? error / tolerated : std::numeric_limits<double>::max());
    }
    held.push_back(std::move(outcome));
  }
  return held;
}

}  // namespace fuselab::engine
