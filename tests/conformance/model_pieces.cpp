// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/model_pieces.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "core/fusion/partition/fusion_engine.h"
#include "core/graph/graph_text.h"
#include "core/import/models/builtin_models.h"
#include "core/import/onnx_import.h"

namespace fuselab::conformance {

Result<Graph> bound_model(const std::string& id) {
  const auto file = std::filesystem::path(testing::TempDir()) / (id + "-" + std::to_string(::getpid()) + ".onnx");
  FL_TRY_VOID(write_builtin_model(id, file));
  auto imported = import_onnx(file);
  std::filesystem::remove(file);
  if (!imported.ok()) return std::move(imported).error();
  for (const auto& model : builtin_models()) {
    if (model.id == id) return fuselab::bind(imported.value().graph, model.default_bindings.front());
  }
  return Error{ErrorCode::kNotFound, id};
}

std::map<std::string, std::string> pieces_of(const Graph& model) {
  std::map<std::string, std::string> pieces;
  const auto fused = fuse(model, options_for(OptimizationLevel::kO2));
  EXPECT_TRUE(fused.ok());
  for (const auto& piece : deduplicate(fused.value().operations)) {
    const auto nodes = piece.graph.nodes();
    const bool runs =
        std::any_of(nodes.begin(), nodes.end(), [](const Node& node) { return node.op != Op::kConstant && !is_view(node.op); });
    if (runs) pieces[canonical_text(piece.graph)] = piece.name;
  }
  return pieces;
}

}  // namespace fuselab::conformance
