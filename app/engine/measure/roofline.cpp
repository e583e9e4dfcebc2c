// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure/roofline.h"

#include <algorithm>

#include "core/cost/cost.h"
#include "core/measure/buffer_cycle.h"

namespace fuselab::engine {
namespace {

constexpr std::int64_t kMostReads = 4;
constexpr std::int64_t kMostWrites = 4;

}  // namespace

StreamMix stream_mix(const Graph& graph) {
  const auto reads = compulsory_reads(graph);
  if (!reads.ok()) return {};
  std::vector<std::int64_t> read, written;
  std::int64_t largest = 1;
  for (const Bytes bytes : reads.value()) largest = std::max(largest, read.emplace_back(bytes.count));
  for (const ValueId id : graph.outputs()) {
    const auto size = size_of(graph.type(id));
    largest = std::max(largest, written.emplace_back(size.ok() ? size.value().count : 0));
  }
  const auto streams = [&](const std::vector<std::int64_t>& moved, std::int64_t most) {
    const auto count = std::count_if(moved.begin(), moved.end(), [&](std::int64_t bytes) { return bytes * 16 >= largest; });
    return static_cast<int>(std::min<std::int64_t>(count, most));
  };
  // A graph that only joins tensors reads them one after the other: it is a copy, with another ceiling than sums of several
  // streams.
  const bool joins = std::all_of(graph.nodes().begin(), graph.nodes().end(),
                                 [](const Node& node) { return node.op == Op::kConcat || is_view(node.op); });
  return {joins ? std::min(1, streams(read, kMostReads)) : streams(read, kMostReads), streams(written, kMostWrites)};
}

Bytes working_set(const Cost& cost, CacheMode mode, std::int64_t caches_bytes) {
  if (mode != CacheMode::kRotating) return cost.ideal();
  return {std::max(cost.ideal().count, BufferCycle::kCacheFactor * caches_bytes)};
}

SpeedOfLight speed_of_light(const Graph& graph, const Cost& cost, Bytes working_set, const CeilingTable& ceilings,
                            Nanoseconds measured) {
  const StreamMix mix = stream_mix(graph);
  return fuselab::speed_of_light(cost, working_set, mix.reads, mix.writes, ceilings, measured, arithmetic_of(graph));
}

}  // namespace fuselab::engine
