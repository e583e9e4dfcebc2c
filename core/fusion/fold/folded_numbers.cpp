// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/fold/fold_weights.h"
#include "core/reference/reference.h"
#include "core/tensor/tensor.h"

namespace fuselab {
namespace {

std::optional<std::vector<std::byte>> computed(const Graph& recipe, const PackedNumbers& numbers) {
  std::vector<RealTensor> inputs;
  for (const ValueId input : recipe.inputs()) {
    const auto found = numbers.find(recipe.value(input).name);
    if (found == numbers.end()) return std::nullopt;
    auto tensor = unpack(recipe.type(input), found->second);
    if (!tensor.ok()) return std::nullopt;
    inputs.push_back(std::move(tensor).value());
  }
  const auto results = evaluate_reference(recipe, inputs);
  if (!results.ok() || results.value().size() != 1) return std::nullopt;
  return pack(results.value().front());
}

}  // namespace

void compute_folded(const FoldedGraph& folded, PackedNumbers& numbers) {
  for (const FoldedWeight& weight : folded.weights) {
    if (auto bytes = computed(weight.recipe, numbers)) numbers[weight.name] = *std::move(bytes);
  }
  std::set<std::string> read;
  for (const ValueId input : folded.graph.inputs()) read.insert(folded.graph.value(input).name);
  std::erase_if(numbers, [&](const auto& entry) { return !read.contains(entry.first); });
}

}  // namespace fuselab
