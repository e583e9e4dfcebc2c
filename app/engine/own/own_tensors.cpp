// SPDX-License-Identifier: Apache-2.0
#include "app/engine/own/own_tensors.h"

#include "app/engine/own/own_source.h"
#include "app/engine/tensors/tensor_file.h"
#include "core/base/content_hash.h"
#include "core/platform/files/atomic_file.h"

namespace fuselab::engine {
namespace {

Status keep(const std::filesystem::path& cache_directory, const std::string& name, const std::vector<std::byte>& bytes) {
  const std::filesystem::path folder = cache_directory / kOwnTensorFolder;
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  return platform::write_file_atomically(folder / name, bytes);
}

}  // namespace

Status keep_own_tensors(OwnKernel& kernel, const std::filesystem::path& folder, const std::filesystem::path& cache_directory) {
  const auto keep_one = [&](const OwnArgument& argument, std::string& named) -> Status {
    if (!named.starts_with(kTensorFile)) return {};
    const std::string file = named.substr(kTensorFile.size());
    if (!stays_inside(folder, file.substr(0, file.rfind(".npz:") == std::string::npos ? file.size() : file.rfind(".npz:") + 4)))
      return invalid_argument("argument '" + argument.name + "': '" + file +
                              "' lies outside of the folder of the kernel's file; copy it there");
    const TensorType wanted{argument.element, argument.shape};
    const auto fits = [&](const TensorType& found) {
      return found == wanted ? Status()
                             : Status(invalid_argument("it is " + type_text(found) + ", the argument is " + type_text(wanted)));
    };
    const auto tensor = read_tensor_file(folder / file, argument.name, fits);
    if (!tensor.ok()) return tensor.error().within("argument '" + argument.name + "'");
    const std::string name = ContentHash::of(std::span<const std::byte>(tensor.value().bytes)).hex();
    if (!cache_directory.empty()) FL_TRY_VOID(keep(cache_directory, name, tensor.value().bytes));
    named = std::string(kOwnTensor) + name;
    return {};
  };
  for (OwnArgument& argument : kernel.arguments) {
    FL_TRY_VOID(keep_one(argument, argument.fill));
    FL_TRY_VOID(keep_one(argument, argument.expected));
  }
  return {};
}

}  // namespace fuselab::engine
