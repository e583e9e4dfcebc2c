// SPDX-License-Identifier: Apache-2.0
#include "app/worker/emulation/smaller_graph.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <vector>

namespace fuselab::worker {
namespace {

// Extents that the original has → those that take their place.
using Extents = std::map<std::int64_t, std::int64_t>;

constexpr std::int64_t kSmall = 16;     // extents up to here stay
constexpr std::int64_t kSmallest = 12;  // what others become is at least so large, that there are tiles and what they leave over

constexpr std::int64_t kLanes = 16;  // elements that move together at most: what was a multiple of them stays one

std::int64_t mapped(const Extents& extents, std::int64_t extent) {
  const auto found = extents.find(extent);
  return found == extents.end() ? extent : found->second;
}

std::optional<Graph> with_extents(const Graph& graph, const Extents& extents) {
  Graph copy = graph;
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    Node& node = copy.node(static_cast<NodeId>(i));
    for (const char* const name : {"shape", "split"}) {
      if (!node.attributes.has(name)) continue;
      std::vector<std::int64_t> numbers = node.attributes.integers(name);
      for (std::int64_t& number : numbers) number = mapped(extents, number);
      node.attributes.set(name, numbers);
    }
  }
  auto made = retype(copy, [&](const Value& value) -> Result<TensorType> {
    TensorType type = value.type;
    for (Dim& dim : type.shape) dim = Dim(mapped(extents, dim.extent()));
    return type;
  });
  return made.ok() ? std::optional(std::move(made).value()) : std::nullopt;
}

Extents extents_of_leaves(const Graph& graph) {
  Extents extents;
  const auto meet = [&](std::int64_t extent) {
    if (extent > kSmall) extents[extent] = extent;
  };
  for (const ValueId id : graph.inputs()) {
    for (const Dim& dim : graph.type(id).shape) meet(dim.extent());
  }
  for (const Node& node : graph.nodes()) {
    for (const char* const name : {"shape", "split"}) {
      for (const std::int64_t number : node.attributes.integers(name)) meet(number);
    }
  }
  return extents;
}

// Returns what may take an extent's place, smallest first: parts of it, so that what divided it still may, and which fill registers
// as it does; of an extent without such parts a number that shares its powers of two with the lanes as it does.
std::vector<std::int64_t> parts_of(std::int64_t extent) {
  std::vector<std::int64_t> parts;
  for (std::int64_t part = kSmallest; part * part <= extent * kSmallest && part < extent; ++part) {
    if (extent % part == 0 && std::gcd(part, kLanes) == std::gcd(extent, kLanes)) parts.push_back(part);
  }
  for (const std::int64_t odd : {3, 7, 13, 17, 29}) {
    const std::int64_t other = odd * std::gcd(extent, kLanes);
    if (parts.empty() && other >= kSmallest && other < extent) parts.push_back(other);
  }
  return parts;
}

}  // namespace

Graph smaller_graph(const Graph& graph, const std::function<bool(const Graph&)>& accepts) {
  Extents extents = extents_of_leaves(graph);
  Graph smallest = graph;
  const auto take = [&](const Extents& tried) {
    std::optional<Graph> made = with_extents(graph, tried);
    if (!made || !accepts(*made)) return false;
    extents = tried;
    smallest = std::move(*made);
    return true;
  };
  // An extent shrinks alone, or with one that is a product with it, or with all of those.
  const auto shrink = [&](std::int64_t extent) {
    for (const std::int64_t part : parts_of(extent)) {
      const std::int64_t now = extents[extent];
      if (part >= now) continue;
      Extents alone = extents;
      alone[extent] = part;
      if (take(alone)) return;
      Extents together = alone;
      for (const auto& [other, place] : extents) {
        if (other == extent || other % extent != 0 || place * part % now != 0) continue;
        Extents both = alone;
        both[other] = together[other] = place * part / now;
        if (take(both)) return;
      }
      if (take(together)) return;
    }
  };
  const Extents original = extents;
  for (int pass = 0; pass < 2; ++pass) {
    for (const auto& [extent, same] : original) shrink(extent);
  }
  return smallest;
}

}  // namespace fuselab::worker
