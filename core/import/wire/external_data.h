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

// Returns true when a tensor's numbers lie in another file.
bool is_external(const TensorProto& tensor);

// The files beside a model that hold its weights. A model is untrusted: it may name only ordinary files inside its own folder,
// neither by an absolute path nor by `..` nor through a symbolic link, and only ranges that the files have.
class ExternalFiles {
 public:
  // With an empty folder, names are checked and nothing is opened.
  explicit ExternalFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Checks the file and range of a tensor's numbers, and reads them when they are few. A missing file is noted once and is no
  // error, since the shapes of weights are enough.
  Result<std::optional<KnownTensor>> read(const TensorProto& tensor, const TensorType& type);
  // Returns the numbers of a tensor that read() has seen; nothing where its file is missing or cannot be read any more.
  std::optional<std::vector<std::byte>> bytes(const TensorProto& tensor, const TensorType& type) const;
  // Returns the name of the file that holds a tensor's numbers, empty where they lie in the model itself; nothing where they are
  // left out, or read() found no such file.
  std::optional<std::string> file_of(const TensorProto& tensor) const;
  std::vector<std::string> take_notes() { return std::move(notes_); }

 private:
  std::filesystem::path folder_;
  std::set<std::string> missing_;
  std::vector<std::string> notes_;
};

}  // namespace fuselab::onnx
