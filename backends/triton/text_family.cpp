// SPDX-License-Identifier: Apache-2.0
#include "backends/triton/text_family.h"

#include <algorithm>
#include <limits>

#include "backends/codegen/ir/axes.h"
#include "backends/triton/node_axes.h"

namespace fuselab::triton {

Status check_graph(const Graph& graph) {
  constexpr std::size_t kMostNodes = 64;
  constexpr std::int64_t kMostElements = std::int64_t{1} << 30;  // indices have 32 bits, and blocks reach beyond the end
  const auto refuse = [](const std::string& why) { return Error{ErrorCode::kUnsupported, why}; };
  if (!graph.is_concrete()) return refuse("the shape still has symbols: bind them with --shape");
  if (graph.nodes().empty()) return refuse("the graph computes nothing");
  if (graph.nodes().size() > kMostNodes) return refuse("too many operators for one kernel");
  for (const Value& value : graph.values()) {
    if (storage_name(value.type.dtype).empty())
      return refuse(std::string(name_of(value.type.dtype)) + " is not written for Triton");
    FL_TRY(const std::int64_t count, element_count(value.type.shape));
    if (count == 0) return refuse("an empty tensor");
    if (count > kMostElements) return refuse("a tensor of more than 2^30 elements is not written for Triton yet");
  }
  for (const ValueId output : graph.outputs()) {
    if (!graph.value(output).producer) return refuse("an output is an input passed through");
  }
  return {};
}

std::int64_t count_of(const Graph& graph, ValueId value) {
  return element_count(graph.type(value).shape).value();
}

std::int64_t power_above(std::int64_t number) {
  std::int64_t power = 1;
  while (power < number) power *= 2;
  return power;
}

Result<WrittenKernel> finished(const BlockText& text, std::int64_t programs) {
  if (!text.refusal().empty()) return Error{ErrorCode::kUnsupported, text.refusal()};
  if (programs > std::numeric_limits<std::int32_t>::max())
    return Error{ErrorCode::kUnsupported, "too many programs for one launch"};
  return WrittenKernel{text.parameters(), text.body(), programs};
}

Result<TextFamily> find_family(const Graph& graph, const Target& target) {
  FL_TRY_VOID(check_graph(graph));
  const auto is_product = [](const Node& node) { return info_of(node.op).access == AccessPattern::kContraction; };
  const auto products = std::count_if(graph.nodes().begin(), graph.nodes().end(), is_product);
  const bool attends = products > 1 || (products == 1 && std::any_of(graph.nodes().begin(), graph.nodes().end(),
                                                                     [](const Node& node) { return node.op == Op::kAttention; }));
  const bool has_rows =
      std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const Node& node) { return !reduced_axes(graph, node).empty(); });
  const TextFamily family = attends        ? attention_family()
                            : products > 0 ? product_family()
                            : has_rows     ? rows_family()
                                           : elements_family();
  const auto space = family.space(graph, target);
  // The families whose space depends on the graph have none where they do not take it.
  FL_TRY_VOID(
      family.write(graph, space.parameters().empty() ? LaunchConfig() : codegen::nearest(space, family.wishes(graph, target))));
  return family;
}

// ---- element by element --------------------------------------------------------------------------------------------------------
namespace {

Result<WrittenKernel> write_elements(const Graph& graph, const LaunchConfig& config) {
  const std::int64_t block = config.integer("block", 1024);
  BlockText text(graph, 1);
  text.line("pid = tl.program_id(0)");
  text.line("col = pid * " + std::to_string(block) + " + tl.arange(0, " + std::to_string(block) + ")");
  const Index here = index_named("col", kRows);
  std::int64_t most = 0;
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    const std::int64_t count = count_of(graph, graph.outputs()[i]);
    most = std::max(most, count);
    const std::string inside = "col < " + std::to_string(count);
    text.go_to({Guard{inside, kRows}, Guard{}}, {"col", ""});
    text.store(i, unflattened(here, extents_of(graph.type(graph.outputs()[i]).shape)));
  }
  return finished(text, (most + block - 1) / block);
}

ParameterSpace elements_space(const Graph&, const Target&) {
  ParameterSpace space;
  codegen::add_axis(space, "block", "elements of a program", {128, 256, 512, 1024, 2048, 4096});
  codegen::add_axis(space, "warps", "warps of a program", {1, 2, 4, 8});
  codegen::add_rule(space, "block >= 32 * warps", "each thread has an element");
  return space;
}

std::vector<LaunchConfig> elements_wishes(const Graph&, const Target&) {
  return {{{"block", std::int64_t{1024}}, {"warps", std::int64_t{4}}}};
}

}  // namespace

TextFamily elements_family() {
  return {"elements", write_elements, elements_space, elements_wishes};
}

}  // namespace fuselab::triton
