// SPDX-License-Identifier: Apache-2.0
// Any bytes as an ONNX file: an error, or a graph that fusion can cut and whose text is read back as the same graph.
#include <cstdlib>
#include <string>

#include "core/fusion/fold/fold_weights.h"
#include "core/fusion/partition/fusion_engine.h"
#include "core/graph/graph_text.h"
#include "core/import/onnx_import.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto model = fuselab::import_onnx_bytes(std::as_bytes(std::span(data, size)), {});
  if (!model.ok()) {
    if (model.error().message.empty()) std::abort();
    return 0;
  }
  if (!fuselab::fuse(model.value().graph, {}).ok()) std::abort();
  if (const auto folded = fuselab::fold_weights(model.value().graph, model.value().constants)) {
    if (!fuselab::fuse(folded->graph, {}).ok()) std::abort();
  }
  const std::string text = fuselab::canonical_text(model.value().graph);
  if (model.value().opaque_nodes > 0) return 0;  // barriers have no text of their own
  const auto again = fuselab::parse_graph(text);
  if (!again.ok() || fuselab::canonical_text(again.value()) != text) std::abort();
  return 0;
}
