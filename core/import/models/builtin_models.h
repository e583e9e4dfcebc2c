// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/types/shape.h"

namespace fuselab {

// A model that Fuselab writes itself, as a real ONNX file with seeded random weights.
struct BuiltinModel {
  std::string id;  // "resnet50"
  std::string title;
  std::vector<Bindings> default_bindings;  // measured in this order when no --shape is given
};

// Returns all built-in models; none when Fuselab was built without protobuf.
std::span<const BuiltinModel> builtin_models();
Status write_builtin_model(const std::string& id, const std::filesystem::path& file);

}  // namespace fuselab
