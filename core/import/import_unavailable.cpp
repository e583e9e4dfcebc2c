// SPDX-License-Identifier: Apache-2.0
// The importer of a build without protobuf: it says so.
#include "core/import/models/builtin_models.h"
#include "core/import/onnx_evaluation.h"
#include "core/import/onnx_import.h"

namespace fuselab {
namespace {

Error unavailable() {
  return {ErrorCode::kUnavailable,
          "this Fuselab was built without protobuf and cannot read ONNX: install libprotobuf-dev and protobuf-compiler and build "
          "again with -DFUSELAB_IMPORT=ON"};
}

}  // namespace

Result<ImportedModel> import_onnx(const std::filesystem::path& /*file*/, const Bindings& /*extents*/, Weights /*weights*/,
                                  const InputNumbers& /*numbers*/, platform::Links /*links*/) {
  return unavailable();
}
Result<ImportedModel> import_onnx_bytes(std::span<const std::byte> /*bytes*/, const std::filesystem::path& /*folder*/,
                                        const Bindings& /*extents*/, Weights /*weights*/, const InputNumbers& /*numbers*/) {
  return unavailable();
}
Result<PackedTensor> import_tensor(std::span<const std::byte> /*bytes*/) {
  return unavailable();
}
Result<std::vector<RealTensor>> evaluate_onnx(const std::filesystem::path& /*file*/,
                                              const std::map<std::string, RealTensor>& /*given*/, platform::Links /*links*/) {
  return unavailable();
}
std::span<const BuiltinModel> builtin_models() {
  return {};
}
Status write_builtin_model(const std::string& /*id*/, const std::filesystem::path& /*file*/) {
  return unavailable();
}

}  // namespace fuselab
