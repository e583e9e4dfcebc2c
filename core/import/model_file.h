// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include "core/base/result.h"
#include "core/import/wire/external_data.h"

namespace fuselab::onnx {

class ModelProto;

struct Model {
  std::unique_ptr<const ModelProto> proto;
  bool was_sorted = false;  // the file's nodes were in an order that cannot run
  const ModelProto& operator*() const { return *proto; }
};

// Parses a model and sorts its nodes. Its bytes are untrusted: what they would make is counted before it is made.
// Fails with kCorrupt where they are not a valid ONNX file, and with kInvalidArgument where it would take too much memory.
Result<Model> parse_model(std::span<const std::byte> bytes);
Result<Model> read_model(const std::filesystem::path& file);

// Returns where the other files of a model lie.
ModelFolder folder_of(const std::filesystem::path& file, platform::Links links);

}  // namespace fuselab::onnx
