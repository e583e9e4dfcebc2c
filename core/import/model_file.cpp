// SPDX-License-Identifier: Apache-2.0
#include "core/import/model_file.h"

#include <google/protobuf/io/coded_stream.h>

#include <fstream>
#include <limits>
#include <vector>

#include "core/import/wire/node_order.h"
#include "core/import/wire/wire_survey.h"
#include "onnx_subset.pb.h"

namespace fuselab::onnx {
namespace {

// Protobuf's own limit: larger models keep their weights in files beside them.
constexpr std::uintmax_t kMaxFileBytes = std::numeric_limits<std::int32_t>::max();

Error too_large() {
  return invalid_argument("is larger than 2 GiB, the most an ONNX file can be: export the weights as external data");
}

}  // namespace

Result<Model> parse_model(std::span<const std::byte> bytes) {
  if (bytes.size() > kMaxFileBytes) return too_large();
  FL_TRY_VOID(survey_model(bytes));
  auto model = std::make_unique<ModelProto>();
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  if (!model->ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage()) {
    return Error{ErrorCode::kCorrupt, "is not a valid ONNX file: it is cut off, damaged or of another format"};
  }
  const bool was_sorted = sort_nodes(*model);
  return Model{std::move(model), was_sorted};
}

// The file's bytes are gone when this returns, so that the weights that are then taken from the model do not lie in memory a third
// time.
Result<Model> read_model(const std::filesystem::path& file) {
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
  auto model = parse_model(bytes);
  if (!model.ok()) return model.error().within(name);
  return model;
}

ModelFolder folder_of(const std::filesystem::path& file, platform::Links links) {
  ModelFolder folder{file.has_parent_path() ? file.parent_path() : ".", links};
  std::error_code failed;
  if (!std::filesystem::is_symlink(file, failed)) return folder;
  const std::filesystem::path target = std::filesystem::canonical(file, failed);
  if (!failed) folder.of_target = target.parent_path();
  return folder;
}

}  // namespace fuselab::onnx
