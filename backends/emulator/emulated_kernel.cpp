// SPDX-License-Identifier: Apache-2.0
#include "backends/emulator/emulated_kernel.h"

#include <map>
#include <string>

#include "backends/emulator/launch.h"

namespace fuselab::simt {
namespace {

constexpr std::byte kPoison{0xFF};
constexpr std::string_view kOpening = "extern \"C\" FL_KERNEL(";
constexpr std::string_view kFold = "_fold";
constexpr std::int64_t kSteps = 20'000'000;  // a hundred times what the largest of the tests' cases takes

Result<std::vector<Argument>> arguments_of(const KernelAbi& abi, std::span<const std::vector<std::byte>> inputs) {
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < abi.arguments.size(); ++i) {
    const KernelArgument& each = abi.arguments[i];
    FL_TRY(const Bytes size, size_of(each.type));
    const bool in = i < inputs.size();
    Argument argument;
    argument.name = each.name;
    argument.use = in ? BufferUse::kRead : BufferUse::kWrite;
    argument.element = bits_of(each.type.dtype) / 8;
    argument.alignment = static_cast<int>(each.alignment);
    argument.bytes = in ? inputs[i] : std::vector<std::byte>(static_cast<std::size_t>(size.count), kPoison);
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

bool asks_for_shared(const std::string& body) {
  return body.find("FL_DYNAMIC_SHARED(") != std::string::npos || body.find("FL_ALIGNED_SHARED(") != std::string::npos;
}

// A limit of the executor says nothing about the kernel.
Error error_of(const Outcome& outcome) {
  return {outcome.is_limit ? ErrorCode::kUnsupported : ErrorCode::kNumerics, outcome.finding};
}

}  // namespace

std::vector<KernelText> texts_of(const SourceModule& source) {
  KernelText only = text_of(source.entry, source.text);
  const std::string whole = only.body;
  const std::size_t first = whole.find(kOpening);
  const std::size_t second = whole.find(kOpening, first + 1);
  if (second == std::string::npos) return {only};
  return {{source.entry, whole.substr(0, second), only.matrix_units},
          {source.entry + std::string(kFold), whole.substr(0, first) + whole.substr(second), only.matrix_units}};
}

Result<std::vector<std::vector<std::byte>>> run_emulated(const KernelAbi& abi, const KernelObject& object, std::size_t kernel,
                                                         std::span<const std::vector<std::byte>> inputs, std::uint64_t order_seed) {
  FL_TRY(auto arguments, arguments_of(abi, inputs));
  const std::map<std::string, std::int64_t> dims = {{"multiprocessors", kMultiprocessors}};
  FL_TRY(const std::int64_t grid, abi.grid_x.evaluate(dims));
  FL_TRY(const std::int64_t block, abi.block_x.evaluate(dims));
  FL_TRY(const std::int64_t shared, abi.shared_bytes.evaluate(dims));
  LaunchLimits limits;
  limits.seed = order_seed;
  limits.steps = kSteps;
  // All of a kernel's arrays are static, or none is.
  const bool asked_for = asks_for_shared(object.text(kernel).body);
  const LaunchShape shape{grid, static_cast<int>(block), asked_for ? shared : 0, object.cluster(kernel)};
  const Outcome outcome = run_launch(object, kernel, shape, arguments, limits);
  if (!outcome.ok()) return error_of(outcome);
  if (kernel + 1 < object.size() && object.text(kernel + 1).entry == abi.entry + std::string(kFold)) {
    arguments.back().use = BufferUse::kRead;  // what the first has left
    const Outcome folded = run_launch(object, kernel + 1, {1, object.max_threads(kernel + 1), 0}, arguments, limits);
    if (!folded.ok()) return error_of(folded);
  }
  std::vector<std::vector<std::byte>> outputs;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (abi.arguments[i].role == BufferRole::kOut) outputs.push_back(std::move(arguments[i].bytes));
  }
  return outputs;
}

}  // namespace fuselab::simt
