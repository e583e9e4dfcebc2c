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
#include "core/platform/files/file_inside.h"

namespace fuselab::onnx {

// Returns true when a tensor's numbers lie in another file.
bool is_external(const TensorProto& tensor);

// Where the other files of a model lie.
struct ModelFolder {
  std::filesystem::path folder;                               // empty: there are none
  platform::Links links = platform::Links::kRefused;          // below it
  std::filesystem::path of_target = std::filesystem::path();  // where the model's file is a link: the folder of what it leads to
};

// The files beside a model that hold its weights. A model is untrusted: it may name only ordinary files inside its own folder,
// neither by an absolute path nor by `..`, and only ranges that the files have. Through symbolic links it may not name any either,
// unless they are to be followed; a file that is missing is then looked for beside the one that the model's is a link to.
class ExternalFiles {
 public:
  // With an empty folder, names are checked and nothing is opened.
  explicit ExternalFiles(ModelFolder folder) : folder_(std::move(folder)) {}

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
  Result<platform::FileInside> open(const std::string& location) const;
  // Says what following links would change for a file that was not opened; nothing where it would change nothing.
  std::string hint(const std::string& location) const;

  ModelFolder folder_;
  std::set<std::string> missing_;
  std::vector<std::string> notes_;
};

}  // namespace fuselab::onnx
