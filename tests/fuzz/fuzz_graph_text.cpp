// SPDX-License-Identifier: Apache-2.0
// Any bytes as the text of a graph: an error that says where, or a graph that fusion can cut and whose text is read back as the
// same.
#include <cstdlib>
#include <string>

#include "core/fusion/partition/fusion_engine.h"
#include "core/graph/graph_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto graph = fuselab::parse_graph(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!graph.ok()) {
    if (graph.error().message.empty()) std::abort();
    return 0;
  }
  if (!fuselab::fuse(graph.value(), {}).ok()) std::abort();
  const std::string text = fuselab::canonical_text(graph.value());
  const auto again = fuselab::parse_graph(text);
  if (!again.ok() || fuselab::canonical_text(again.value()) != text) std::abort();
  return 0;
}
