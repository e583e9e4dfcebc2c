// SPDX-License-Identifier: Apache-2.0
#include "core/import/onnx_import.h"

#include <google/protobuf/io/coded_stream.h>
#include <fstream>
#include <limits>

#include "core/import/nodes/translate.h"
#include "core/import/wire/model_import.h"
#include "core/import/wire/wire_survey.h"

namespace fuselab {
namespace {

// Protobuf's own limit: larger models keep their weights in files beside them.
constexpr std::uintmax_t kMaxFileBytes = std::numeric_limits<std::int32_t>::max();

Error too_large() {
  return invalid_argument("is larger than 2 GiB, the most an ONNX file can be: export the weights as external data");
}

}  // namespace

Result<ImportedModel> import_onnx_bytes(std::span<const std::byte> bytes, const std::filesystem::path& folder,
                                        const Bindings& extents, Weights weights, const InputNumbers& numbers) {
  for (const auto& [name, extent] : extents) {
    if (extent < 1) return invalid_argument("the extent of '" + name + "' must be 1 or more");
  }
  if (bytes.size() > kMaxFileBytes) return too_large();
  FL_TRY_VOID(onnx::survey_model(bytes));
  onnx::ModelProto model;
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  if (!model.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage()) {
    return Error{ErrorCode::kCorrupt, "is no whole ONNX file: it is cut off, damaged or of another format"};
  }
  return onnx::ModelImport(model, onnx::translate, folder, extents, weights, numbers).run();
}

Result<ImportedModel> import_onnx(const std::filesystem::path& file, const Bindings& extents, Weights weights,
                                  const InputNumbers& numbers) {
  const std::string name = file.filename().string();
  std::error_code failed;
  const auto size = std::filesystem::file_size(file, failed);
  if (failed) return Error{ErrorCode::kNotFound, file.string() + ": " + failed.message()};
  if (size > kMaxFileBytes) return too_large().within(name);
  std::vector<std::byte> bytes(size);
  std::ifstream stream(file, std::ios::binary);
  if (!stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size))) {
    return Error{ErrorCode::kIo, file.string() + ": cannot be read"};
  }
  auto model = import_onnx_bytes(bytes, file.has_parent_path() ? file.parent_path() : ".", extents, weights, numbers);
  if (!model.ok()) return model.error().within(name);
  if (model.value().name.empty()) model.value().name = file.stem().string();
  return model;
}

}  // namespace fuselab
