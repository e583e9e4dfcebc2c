// SPDX-License-Identifier: Apache-2.0
#include "app/engine/execute/given/given_indices.h"

#include <algorithm>
#include <optional>

#include "core/tensor/index_range.h"

namespace fuselab::engine {

namespace {

// Returns the operator that divides whole numbers by this value, or nothing.
std::optional<Op> divides_whole(const Graph& graph, ValueId value) {
  const DType dtype = graph.type(value).dtype;
  if (is_floating(dtype) || dtype == DType::kBool) return std::nullopt;
  for (const NodeId id : graph.consumers(value)) {
    const Node& node = graph.node(id);
    if ((node.op == Op::kDiv || node.op == Op::kMod) && node.inputs.size() > 1 && node.inputs[1] == value) return node.op;
  }
  return std::nullopt;
}

Status check_divisors(const Graph& graph, ValueId input, Op by, std::span<const std::byte> bytes) {
  const TensorType& type = graph.type(input);
  FL_TRY(const RealTensor numbers, unpack(type, bytes));
  const auto zeros = std::count(numbers.data.begin(), numbers.data.end(), 0.0);
  if (zeros == 0) return {};
  const auto first = std::find(numbers.data.begin(), numbers.data.end(), 0.0) - numbers.data.begin();
  const std::string place = place_text(first, type);
  return invalid_argument("input '" + graph.value(input).name + "': 0" + (place.empty() ? "" : " at " + place) +
                          " divides whole numbers, and " + std::string(name_of(by)) + " has no result then; " +
                          std::to_string(zeros) + " of its " + std::to_string(numbers.data.size()) + " numbers " +
                          (zeros == 1 ? "is" : "are") + " 0: nothing was run");
}

}  // namespace

Status check_indices(const Graph& graph, ValueId input, std::span<const std::byte> bytes) {
  if (const auto by = divides_whole(graph, input)) FL_TRY_VOID(check_divisors(graph, input, *by, bytes));
  if (!names_entries(graph, input)) return {};
  const TensorType& type = graph.type(input);
  FL_TRY(const RealTensor numbers, unpack(type, bytes));
  const auto wrong = find_wrong_index(graph, input, numbers);
  if (!wrong) return {};
  const std::string all = std::to_string(wrong->count) + " of its " + std::to_string(numbers.data.size()) + " numbers " +
                          (wrong->count == 1 ? "is" : "are");
  return invalid_argument("input '" + graph.value(input).name + "': " + wrong_index_text(*wrong, type) + "; " + all +
                          " out of range: nothing was run");
}

Status check_given_indices(const Graph& graph, const GivenTensors& given, const GivenNumbers& numbers,
                           const WeightNumbers& weights) {
  for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
    const ValueId input = graph.inputs()[i];
    if (!names_entries(graph, input) && !divides_whole(graph, input)) continue;
    FL_TRY(const InputTensor first, input_tensor(graph, i, given, numbers, weights, InputSpec().seed));
    if (first.source == InputTensor::Source::kSeed) continue;
    FL_TRY_VOID(check_indices(graph, input, first.bytes));
    const auto held = numbers.inputs.find(graph.value(input).name);
    for (int run = 1; held != numbers.inputs.end() && run < held->second.runs; ++run)
      FL_TRY_VOID(check_indices(graph, input, held->second.of_run(run)));
  }
  return {};
}

}  // namespace fuselab::engine
