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
#include "tests/support/simt/launch.h"

namespace fuselab::testing {
namespace {

constexpr std::byte kPoison{0xFF};
constexpr std::string_view kOpening = "extern \"C\" FL_KERNEL(";
constexpr std::string_view kFold = "_fold";
constexpr std::int64_t kSteps = 20'000'000;  // a hundred times what the largest case takes

Result<std::vector<simt::Argument>> arguments_of(const KernelAbi& abi, std::span<const RealTensor> inputs) {
  std::vector<simt::Argument> arguments;
  for (std::size_t i = 0; i < abi.arguments.size(); ++i) {
    const KernelArgument& each = abi.arguments[i];
    FL_TRY(const Bytes size, size_of(each.type));
    const bool in = i < inputs.size();
    simt::Argument argument;
    argument.name = each.name;
    argument.use = in ? simt::BufferUse::kRead : simt::BufferUse::kWrite;
    argument.element = bits_of(each.type.dtype) / 8;
    argument.alignment = static_cast<int>(each.alignment);
    argument.bytes = in ? pack(inputs[i]) : std::vector<std::byte>(static_cast<std::size_t>(size.count), kPoison);
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

Result<std::string> judge(const Graph& graph, const KernelAbi& abi, const simt::KernelObject& object, std::size_t kernel,
                          const InputSpec& spec, std::uint64_t order_seed, const WrongNumber* wrong) {
  std::vector<RealTensor> inputs = make_inputs(graph, spec);
  for (RealTensor& input : inputs) round_to_dtype(input);
  std::vector<RealTensor> given = inputs;
  if (wrong != nullptr) {
    const std::size_t middle = inputs[wrong->input].data.size() / 2;
    given[wrong->input].data[middle] = wrong->given;
    inputs[wrong->input].data[middle] = wrong->meant;
  }
  FL_TRY(auto arguments, arguments_of(abi, given));
  const std::map<std::string, std::int64_t> dims = {{"multiprocessors", kMultiprocessors}};
  FL_TRY(const std::int64_t grid, abi.grid_x.evaluate(dims));
  FL_TRY(const std::int64_t block, abi.block_x.evaluate(dims));
  simt::LaunchLimits limits;
  limits.seed = order_seed;
  limits.steps = kSteps;
  FL_TRY(const std::int64_t shared, abi.shared_bytes.evaluate(dims));
  // All of a kernel's arrays are static, or none is.
  const bool asked_for = object.text(kernel).body.find("FL_DYNAMIC_SHARED(") != std::string::npos;
  const simt::LaunchShape shape{grid, static_cast<int>(block), asked_for ? shared : 0};
  const simt::Outcome outcome = simt::run_launch(object, kernel, shape, arguments, limits);
  if (!outcome.ok()) return outcome.finding;
  if (kernel + 1 < object.size() && object.text(kernel + 1).entry == abi.entry + std::string(kFold)) {
    arguments.back().use = simt::BufferUse::kRead;  // what the first has left
    const simt::Outcome folded = simt::run_launch(object, kernel + 1, {1, object.max_threads(kernel + 1), 0}, arguments, limits);
    if (!folded.ok()) return folded.finding;
  }
  FL_TRY(const auto expected, expected_outputs(graph, inputs, spec.seed));
  std::vector<RealTensor> actual;
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    FL_TRY(auto tensor, unpack(graph.type(graph.outputs()[i]), arguments[inputs.size() + i].bytes));
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
                        const InputSpec& spec, std::uint64_t order_seed, const WrongNumber* wrong) {
  const Result<std::string> outlier = judge(graph, abi, object, kernel, spec, order_seed, wrong);
  return outlier.ok() ? outlier.value() : outlier.error().message;
}

std::vector<simt::KernelText> simt_texts(const SourceModule& source) {
  const std::string whole = simt::without_prelude(source.text);
  const std::size_t first = whole.find(kOpening);
  const std::size_t second = whole.find(kOpening, first + 1);
  if (second == std::string::npos) return {{source.entry, whole}};
  return {{source.entry, whole.substr(0, second)},
          {source.entry + std::string(kFold), whole.substr(0, first) + whole.substr(second)}};
}

std::string cuda_repro(const Graph& graph, const LaunchConfig& config, const Target& target) {
  return "'" + canonical_text(graph) + "' --config " + config.text() + " --target " + target.id;
}

}  // namespace fuselab::testing
