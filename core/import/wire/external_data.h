// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/import/constants/known_tensor.h"

namespace fuselab::onnx {

// Whether a tensor's numbers lie in another file.
bool is_external(const TensorProto& tensor);

// The files beside a model that hold its weights. A model is a stranger's: it may name only ordinary files inside its own folder,
// neither by an absolute path nor by `..` nor through a symbolic link, and only ranges that the files have.
class ExternalFiles {
 public:
  // Where there is no folder, names are checked and nothing is opened.
  explicit ExternalFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Checks where the numbers lie, and reads them when they are few. A file that is not there is noted once and is no error: of
  // weights the shapes are enough.
  Result<std::optional<KnownTensor>> read(const TensorProto& tensor, const TensorType& type);
  std::vector<std::string> take_notes() { return std::move(notes_); }

 private:
  std::filesystem::path folder_;
  std::set<std::string> missing_;
  std::vector<std::string> notes_;
};

}  // namespace fuselab::onnx
