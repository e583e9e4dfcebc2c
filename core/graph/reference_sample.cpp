// SPDX-License-Identifier: Apache-2.0
#include "core/graph/reference_sample.h"

#include <cstdio>

#include "core/base/random.h"
#include "core/graph/cost.h"
#include "core/graph/reference.h"

namespace fuselab::reference {
namespace {

constexpr std::int64_t kTile = 8;  // edges of tiles lie at its multiples, whatever a kernel's real tile is
constexpr SampleSize kSmallSample{16, 256};
constexpr double kWhole = 8;  // all elements where they cost this many times less than a sample may: memory is touched for each
constexpr double kSampleFlops = 2 * kSampledAboveFlops;

// First, last, and around multiples of the tile; spread evenly over the axis when there are too many.
std::vector<std::int64_t> edges_of(std::int64_t extent, std::size_t limit) {
  std::vector<std::int64_t> edges;
  for (std::int64_t tile = 0; tile <= extent; tile += kTile) {
    for (std::int64_t const at : {tile - 1, tile, tile + 1}) {
      if (at >= 0 && at < extent) edges.push_back(at);
    }
  }
  edges.push_back(extent - 1);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  if (edges.size() <= limit) return edges;
  std::vector<std::int64_t> kept;
  for (std::size_t i = 0; i + 1 < limit; ++i) kept.push_back(edges[i * (edges.size() - 1) / (limit - 1)]);
  kept.push_back(edges.back());
  return kept;
}

double cost_of_demand(const Graph& graph, const std::vector<Needed>& needed) {
  double flops = 0;
  for (const Node& node : graph.nodes()) {
    for (ValueId const output : node.outputs) {
      auto const count = element_count(graph.type(output).shape).value();
      double const wanted = static_cast<double>(needed[static_cast<std::size_t>(output)].count(count));
      flops += wanted * 2 * static_cast<double>(std::max<std::int64_t>(terms_per_output(graph, node), 1));
    }
  }
  return flops;
}

std::vector<Needed> sampled_demand(const Graph& graph, std::int64_t row_limit, std::uint64_t seed, SampleSize size = {}) {
  std::vector<Needed> samples;
  for (ValueId const output : graph.outputs()) samples.push_back(sample_of(graph.type(output), row_limit, seed, size));
  return demand_behind(graph, samples);
}

}  // namespace

Needed sample_of(const TensorType& type, std::int64_t row_limit, std::uint64_t seed, SampleSize size) {
  auto const extents = extents_of(type.shape);
  std::int64_t const count = product_of(extents);
  std::int64_t const columns = extents.empty() ? 1 : extents.back();
  if (count == 0) return Needed::everything();
  std::int64_t const rows = count / columns;
  bool const limited = row_limit > 0 && row_limit < rows;
  SeededRandom random(seed);
  // Half of the limited rows are edges, half are drawn.
  auto chosen = edges_of(rows, limited ? static_cast<std::size_t>(std::max<std::int64_t>(row_limit / 2, 1)) : size.edges);
  std::vector<std::int64_t> positions;
  std::vector<std::int64_t> const edge_columns = edges_of(columns, size.edges);
  for (std::int64_t i = 0; limited && i < row_limit / 2; ++i) {
    chosen.push_back(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(rows))));
  }
  for (std::int64_t const row : chosen) {
    for (std::int64_t const column : edge_columns) positions.push_back(row * columns + column);
  }
  for (std::int64_t i = 0; i < size.seeded; ++i) {
    auto const drawn = random.below(static_cast<std::uint64_t>(limited ? static_cast<std::int64_t>(chosen.size()) : rows));
    std::int64_t const row = limited ? chosen[drawn] : static_cast<std::int64_t>(drawn);
    positions.push_back(row * columns + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(columns))));
  }
  return Needed::only(std::move(positions));
}

std::vector<Needed> demand_behind(const Graph& graph, std::span<const Needed> outputs) {
  std::vector<Needed> needed(graph.values().size());
  for (std::size_t i = 0; i < outputs.size(); ++i) needed[static_cast<std::size_t>(graph.outputs()[i])].merge(outputs[i]);
  auto const nodes = graph.nodes();
  for (std::size_t n = nodes.size(); n-- > 0;) {
    const Node& node = nodes[n];
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const Needed& wanted = needed[static_cast<std::size_t>(node.outputs[i])];
      if (wanted.none()) continue;
      auto const demands = demand_of(graph, node, i, wanted);
      for (std::size_t k = 0; k < node.inputs.size(); ++k) {
        // What a graph input is asked for is there already.
        if (graph.value(node.inputs[k]).origin != ValueOrigin::kNode) continue;
        Needed& input = needed[static_cast<std::size_t>(node.inputs[k])];
        input.merge(demands[k]);
        auto const count = element_count(graph.type(node.inputs[k]).shape).value();
        if (input.count(count) == count) input = Needed::everything();
      }
    }
  }
  return needed;
}

Result<std::vector<Needed>> needed_for_check(const Graph& graph, std::uint64_t seed) {
  FL_TRY(Cost cost, cost_of(graph));
  if (cost.flops <= kSampledAboveFlops) return std::vector<Needed>(graph.values().size(), Needed::everything());
  std::vector<Needed> needed;
  for (std::int64_t const row_limit : {0, 128, 32, 8, 2}) {
    needed = sampled_demand(graph, row_limit, seed);
    if (cost_of_demand(graph, needed) <= kSampleFlops) break;
  }
  return needed;
}

Result<std::vector<Needed>> needed_within(const Graph& graph, std::uint64_t seed, double flops) {
  std::vector<Needed> needed(graph.values().size(), Needed::everything());
  double cost = cost_of_demand(graph, needed);
  if (kWhole * cost <= flops) return needed;
  for (SampleSize const size : {SampleSize{}, kSmallSample}) {
    for (std::int64_t const row_limit : {0, 32, 8, 2}) {
      needed = sampled_demand(graph, row_limit, seed, size);
      cost = cost_of_demand(graph, needed);
      if (cost <= flops) return needed;
    }
  }
  char text[96];
  std::snprintf(text, sizeof text, "even a small sample of the reference costs %.3g MFLOP", cost * 1e-6);
  return Error{ErrorCode::kUnsupported, text};
}

}  // namespace fuselab::reference
