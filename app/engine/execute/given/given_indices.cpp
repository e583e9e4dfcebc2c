// SPDX-License-Identifier: Apache-2.0
#include "app/engine/execute/given/given_indices.h"

#include "core/tensor/index_range.h"

namespace fuselab::engine {

Status check_indices(const Graph& graph, ValueId input, std::span<const std::byte> bytes) {
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
    if (!names_entries(graph, input)) continue;
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
