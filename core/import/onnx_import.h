// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab {

// A model as far as it was understood. Weights are params without data; unknown operators are Opaque barriers.
struct ImportedModel {
  Graph graph;
  std::string name;
  int nodes = 0;         // compute nodes of the file
  int opaque_nodes = 0;  // of those, the ones not understood
  std::vector<std::string> opaque_types;
  std::map<NodeId, std::string> barriers;  // why each opaque node is one: "its axes are computed"
  std::vector<std::string> notes;          // for people: what was folded, assumed or left out

  double covered_share() const { return nodes > 0 ? 1.0 - static_cast<double>(opaque_nodes) / nodes : 1.0; }
};

// Reads an ONNX file. Models are untrusted: one clear error, bounded time and memory, whatever the bytes say.
// kUnavailable when Fuselab was built without protobuf. Symbols of the file's dimensions that `extents` names are those numbers
// from the beginning, so that shape arithmetic is folded that symbols would keep open; names that the file does not have mean
// nothing.
Result<ImportedModel> import_onnx(const std::filesystem::path& file, const Bindings& extents = {});
// `folder` is where external data may be looked for; nothing outside of it is read, and nothing at all where it is empty.
Result<ImportedModel> import_onnx_bytes(std::span<const std::byte> bytes, const std::filesystem::path& folder,
                                        const Bindings& extents = {});

}  // namespace fuselab
