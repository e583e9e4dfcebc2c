// SPDX-License-Identifier: Apache-2.0
#include "tests/differential/cuda_trial.h"

#include <algorithm>
#include <map>
#include <vector>

#include "backends/cuda/driver/cuda_targets.h"
#include "core/graph/graph_text.h"
#include "core/reference/reference.h"
#include "core/reference/special_inputs.h"
#include "core/reference/tolerance.h"

namespace fuselab::testing {
namespace {

// `given` is what the kernel reads, `inputs` what it is to make of it.
Result<std::string> judge(const Graph& graph, const KernelAbi& abi, const simt::KernelObject& object, std::size_t kernel,
                          const InputSpec& spec, std::span<const RealTensor> given, std::span<const RealTensor> inputs,
                          std::uint64_t order_seed, simt::SharedBanks* banks) {
  std::vector<std::vector<std::byte>> bytes;
  for (const RealTensor& input : given) bytes.push_back(pack(input));
  const auto outputs = simt::run_emulated(abi, object, kernel, bytes, order_seed, banks);
  if (!outputs.ok()) return outputs.error().message;
  FL_TRY(const auto expected, expected_outputs(graph, inputs, spec.seed));
  std::vector<RealTensor> actual;
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    FL_TRY(auto tensor, unpack(graph.type(graph.outputs()[i]), outputs.value()[i]));
    actual.push_back(std::move(tensor));
  }
  const Verification found = compare_outputs(graph, expected, actual);
  if (found.passed || (spec.pattern != InputPattern::kUniform && only_unjudged(found))) return std::string();
  return std::string(name_of(spec.pattern)) + " inputs: " + found.detail;
}

}  // namespace

const Target& cuda_target() {
  const auto& targets = cuda::cuda_targets();
  return *std::find_if(targets.begin(), targets.end(), [](const Target& each) { return each.id == "sm_90"; });
}

std::string try_on_simt(const Graph& graph, const KernelAbi& abi, const simt::KernelObject& object, std::size_t kernel,
                        const InputSpec& spec, std::uint64_t order_seed, const WrongNumber* wrong, simt::SharedBanks* banks) {
  std::vector<RealTensor> inputs = make_inputs(graph, spec);
  for (RealTensor& input : inputs) round_to_dtype(input);
  std::vector<RealTensor> given = inputs;
  if (wrong != nullptr) {
    const std::size_t middle = inputs[wrong->input].data.size() / 2;
    given[wrong->input].data[middle] = wrong->given;
    inputs[wrong->input].data[middle] = wrong->meant;
  }
  const Result<std::string> outlier = judge(graph, abi, object, kernel, spec, given, inputs, order_seed, banks);
  return outlier.ok() ? outlier.value() : outlier.error().message;
}

std::string try_inputs_on_simt(const Graph& graph, const KernelAbi& abi, const simt::KernelObject& object, std::size_t kernel,
                               std::span<const RealTensor> inputs, std::uint64_t order_seed) {
  const Result<std::string> outlier =
      judge(graph, abi, object, kernel, {InputPattern::kSpecial, 0}, inputs, inputs, order_seed, nullptr);
  return outlier.ok() ? outlier.value() : outlier.error().message;
}

std::string conflicts_of(const simt::SharedBanks& banks) {
  if (banks.rows.conflicts + banks.plain.conflicts == 0) return {};
  return std::to_string(banks.rows.conflicts) + " conflicts of matrices, " + std::to_string(banks.plain.conflicts) +
         " of other accesses" + banks.worst;
}

std::string cuda_repro(const Graph& graph, const LaunchConfig& config, const Target& target) {
  return "'" + canonical_text(graph) + "' --config " + config.text() + " --target " + target.id;
}

}  // namespace fuselab::testing
