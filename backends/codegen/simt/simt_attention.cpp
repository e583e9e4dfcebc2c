// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/simt/simt_attention.h"

#include <algorithm>

#include "backends/codegen/ir/axes.h"
#include "backends/codegen/simt/lower_simt_attention.h"
#include "backends/codegen/simt/simt_walk.h"

namespace fuselab::codegen {
namespace {

constexpr std::int64_t kSmallestBlock = 64;

// Returns whether registers of so many elements, one after the other, lie aligned to their size in every vector of the operand.
bool is_aligned(const AttentionOperand& operand, std::int64_t lanes) {
  return operand.vector % lanes == 0 &&
         std::all_of(operand.batches.begin(), operand.batches.end(), [lanes](std::int64_t stride) { return stride % lanes == 0; });
}

Support supports(const Graph& graph, const Target& target) {
  const Result<Attention> attention = make_attention(graph);
  if (!attention.ok()) return Support::no(attention.error().message);
  const std::int64_t room = limit_of(target, "shared_bytes", 32768);
  const std::int64_t bytes = simt_attention_bytes(attention.value(), kSmallestBlock);
  if (bytes <= room) return {};
  return Support::no("the scores of " + std::to_string(attention.value().keys) + " keys do not fit the device's " +
                     std::to_string(room) + " bytes of local memory");
}

ParameterSpace space(const Graph& graph, const Target& target) {
  const Result<Attention> made = make_attention(graph);
  FL_ASSERT(made.ok());
  const Attention& a = made.value();
  ParameterSpace space;
  std::vector<std::int64_t> blocks = {std::min(kSmallestBlock, limit_of(target, "max_threads", kSmallestBlock))};
  for (std::int64_t block = 2 * kSmallestBlock; block <= std::min<std::int64_t>(256, limit_of(target, "max_threads", 256));
       block *= 2) {
    const bool fits = simt_attention_bytes(a, block) <= limit_of(target, "shared_bytes", 32768);
    if (fits && block < 2 * std::max(a.keys, a.width)) blocks.push_back(block);
  }
  std::vector<std::int64_t> lanes = {1};
  const bool any_address = exchange_of(target) == Exchange::kMemory;  // OpenCL's vload; CUDA's words are aligned
  for (std::int64_t each : {2, 4, 8, 16}) {
    const bool fits = a.query.element == 1 && a.key.element == 1 && each <= a.depth;
    if (fits && (any_address || (is_aligned(a.query, each) && is_aligned(a.key, each)))) lanes.push_back(each);
  }
  add_axis(space, "block", "threads that share a query", blocks);
  add_axis(space, "vector", "elements that a dot product takes at once", lanes);
  return space;
}

LaunchConfig default_config(const Graph& graph, const Target& target) {
  const ParameterSpace axes = space(graph, target);
  LaunchConfig config;
  for (const Parameter& axis : axes.parameters()) {
    config.set(axis.name, axis.name == "vector" ? axis.values.back() : axis.values.front());
  }
  return config;
}

Result<Function> lower(const Graph& graph, const LaunchConfig& config, const Target&) {
  FL_TRY(Attention attention, make_attention(graph));
  return lower_simt_attention(graph, attention, config);
}

}  // namespace

Family simt_attention() {
  return {"simt attention", supports, space, default_config, lower};
}

}  // namespace fuselab::codegen
