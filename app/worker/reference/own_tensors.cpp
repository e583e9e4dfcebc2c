// SPDX-License-Identifier: Apache-2.0
#include "app/worker/reference/own_tensors.h"

#include <cmath>

#include "core/platform/files/atomic_file.h"
#include "core/tensor/tensor.h"

namespace fuselab::worker {
namespace {

// `named` is one of the argument's tensors.
Result<std::vector<std::byte>> held(const std::filesystem::path& cache_directory, const OwnArgument& argument,
                                    const std::string& named) {
  const std::string name = named.substr(kOwnTensor.size());
  const TensorType type{argument.element, argument.shape};
  FL_TRY(const Bytes size, size_of(type));
  auto bytes = platform::read_file(cache_directory / kOwnTensorFolder / name, size);
  if (!bytes.ok())
    return Error{ErrorCode::kNotFound,
                 "the tensor of '" + argument.name + "' is not in the cache any more; give the kernel's file again"};
  if (static_cast<std::int64_t>(bytes.value().size()) != size.count ||
      ContentHash::of(std::span<const std::byte>(bytes.value())).hex() != name)
    return Error{ErrorCode::kCorrupt, "the cache holds another tensor of '" + argument.name + "'"};
  return bytes;
}

}  // namespace

Status fill_own_inputs(const std::filesystem::path& cache_directory, const Graph& graph,
                       std::vector<std::vector<std::byte>>& packed) {
  FL_TRY(const std::optional<OwnReference> own, own_reference(graph));
  if (!own) return {};
  std::size_t input = 0;
  for (const OwnArgument& argument : own->kernel.arguments) {
    if (!argument.is_read()) continue;
    if (argument.fill.starts_with(kOwnTensor)) {
      FL_TRY(packed[input], held(cache_directory, argument, argument.fill));
    }
    ++input;
  }
  return {};
}

Result<std::vector<ExpectedOutput>> given_outputs(const std::filesystem::path& cache_directory, const OwnKernel& kernel) {
  std::vector<ExpectedOutput> outputs;
  for (const OwnArgument& argument : kernel.arguments) {
    if (!argument.is_written()) continue;
    const TensorType type{argument.element, argument.shape};
    FL_TRY(const std::vector<std::byte> bytes, held(cache_directory, argument, argument.expected));
    FL_TRY(const RealTensor tensor, unpack(type, bytes));
    ExpectedOutput& each = outputs.emplace_back();
    each.type = type;
    each.values = tensor.data;
    for (const double value : tensor.data) each.magnitude.push_back(std::fabs(value));
  }
  return outputs;
}

}  // namespace fuselab::worker
