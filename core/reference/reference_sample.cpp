// SPDX-License-Identifier: Apache-2.0
#include "core/reference/reference_sample.h"
#include "core/reference/own_reference.h"

#include <cstdio>
#include <limits>
#include <optional>
#include <set>

#include "core/base/random.h"
#include "core/cost/cost.h"
#include "core/reference/operators/reference_matmul.h"
#include "core/reference/reference.h"

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
    for (const std::int64_t at : {tile - 1, tile, tile + 1}) {
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

std::int64_t evaluated(const Graph& graph, const Node& node, const Needed& needed, std::int64_t count) {
  if (needed.all() || (node.op != Op::kMatMul && node.op != Op::kGemm)) return needed.count(count);
  const auto extents = [&](std::size_t i) { return extents_of(graph.type(node.inputs[i]).shape); };
  return evaluated_products(matrix_product_of(node, extents(0), extents(1)), needed.positions());
}

double cost_of_demand(const Graph& graph, const std::vector<Needed>& needed) {
  double flops = 0;
  for (const Node& node : graph.nodes()) {
    for (const ValueId output : node.outputs) {
      const auto count = element_count(graph.type(output).shape).value();
      const double wanted = static_cast<double>(evaluated(graph, node, needed[static_cast<std::size_t>(output)], count));
      flops += wanted * 2 * static_cast<double>(std::max<std::int64_t>(terms_per_output(graph, node), 1));
    }
  }
  return flops;
}

std::vector<Needed> samples_of(const Graph& graph, std::int64_t row_limit, std::uint64_t seed, SampleSize size) {
  std::vector<Needed> samples;
  for (const ValueId output : graph.outputs()) samples.push_back(sample_of(graph.type(output), row_limit, seed, size));
  return samples;
}

std::vector<Needed> sampled_demand(const Graph& graph, std::int64_t row_limit, std::uint64_t seed, SampleSize size = {}) {
  return demand_behind(graph, samples_of(graph, row_limit, seed, size));
}

// Counts the elements that are read of the inputs that depend on the pattern.
std::int64_t elements_read(const Graph& graph, const std::vector<Needed>& needed) {
  std::int64_t elements = 0;
  for (const ValueId input : graph.inputs()) {
    if (!depends_on_pattern(graph, input)) continue;
    elements += needed[static_cast<std::size_t>(input)].count(element_count(graph.type(input).shape).value());
  }
  return elements;
}

// Returns whether a sample is certainly too dear, without the walk through what it depends on, which takes as long as evaluating
// it.
bool plainly_dear(const Graph& graph, const std::vector<Needed>& samples) {
  std::int64_t most = 0;
  for (const Needed& sample : samples) most = std::max<std::int64_t>(most, static_cast<std::int64_t>(sample.positions().size()));
  for (const Node& node : graph.nodes()) {
    const auto count = element_count(graph.type(node.outputs.front()).shape).value();
    const double wanted = static_cast<double>(std::min(count, most));
    if (wanted * 2 * static_cast<double>(terms_per_output(graph, node)) > kSampleFlops) return true;
  }
  return false;
}

// `count` different elements of the rows, or all when there are no more.
std::set<std::int64_t> draw(SeededRandom& random, const std::vector<std::int64_t>* rows, std::int64_t row_count,
                            std::int64_t columns, std::int64_t count) {
  std::set<std::int64_t> drawn;
  const auto row = [&](std::int64_t i) { return rows != nullptr ? (*rows)[static_cast<std::size_t>(i)] : i; };
  if (row_count * columns <= 2 * count) {
    for (std::int64_t i = 0; i < row_count * columns; ++i) drawn.insert(row(i / columns) * columns + i % columns);
    return drawn;
  }
  while (static_cast<std::int64_t>(drawn.size()) < count) {
    const auto at = row(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(row_count))));
    drawn.insert(at * columns + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(columns))));
  }
  return drawn;
}

}  // namespace

Needed sample_of(const TensorType& type, std::int64_t row_limit, std::uint64_t seed, SampleSize size) {
  const auto extents = extents_of(type.shape);
  const std::int64_t count = product_of(extents);
  const std::int64_t columns = extents.empty() ? 1 : extents.back();
  if (count == 0) return Needed::everything();
  const std::int64_t rows = count / columns;
  const bool limited = row_limit > 0 && row_limit < rows;
  SeededRandom random(seed);
  // Half of the limited rows are edges, half are drawn.
  auto chosen = edges_of(rows, limited ? static_cast<std::size_t>(std::max<std::int64_t>(row_limit / 2, 1)) : size.edges);
  std::vector<std::int64_t> positions;
  const std::vector<std::int64_t> edge_columns = edges_of(columns, size.edges);
  for (std::int64_t i = 0; limited && i < row_limit / 2; ++i) {
    chosen.push_back(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(rows))));
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  for (const std::int64_t row : chosen) {
    for (const std::int64_t column : edge_columns) positions.push_back(row * columns + column);
  }
  const std::int64_t row_count = limited ? static_cast<std::int64_t>(chosen.size()) : rows;
  const auto drawn = draw(random, limited ? &chosen : nullptr, row_count, columns, size.seeded);
  positions.insert(positions.end(), drawn.begin(), drawn.end());
  return Needed::only(std::move(positions));
}

std::vector<Needed> demand_behind(const Graph& graph, std::span<const Needed> outputs, bool of_inputs) {
  std::vector<Needed> needed(graph.values().size());
  for (std::size_t i = 0; i < outputs.size(); ++i) needed[static_cast<std::size_t>(graph.outputs()[i])].merge(outputs[i]);
  const auto nodes = graph.nodes();
  for (std::size_t n = nodes.size(); n-- > 0;) {
    const Node& node = nodes[n];
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const Needed& wanted = needed[static_cast<std::size_t>(node.outputs[i])];
      if (wanted.none()) continue;
      const auto demands = demand_of(graph, node, i, wanted, of_inputs);
      for (std::size_t k = 0; k < node.inputs.size(); ++k) {
        if (!is_asked_for(graph, node.inputs[k], of_inputs)) continue;
        Needed& input = needed[static_cast<std::size_t>(node.inputs[k])];
        input.merge(demands[k]);
        const auto count = element_count(graph.type(node.inputs[k]).shape).value();
        if (input.count(count) == count) input = Needed::everything();
      }
    }
  }
  return needed;
}

Result<std::vector<Needed>> needed_for_check(const Graph& graph, std::uint64_t seed) {
  FL_TRY(Cost cost, cost_of(graph));
  if (cost.flops <= kSampledAboveFlops) return std::vector<Needed>(graph.values().size(), Needed::everything());
  for (const std::int64_t row_limit : {0, 128, 32, 8}) {
    for (const std::size_t edges : {kAllEdges, std::size_t{1024}, std::size_t{512}, std::size_t{256}, SampleSize().edges}) {
      const auto samples = samples_of(graph, row_limit, seed, {edges, SampleSize().seeded});
      if (plainly_dear(graph, samples)) continue;
      std::vector<Needed> needed = demand_behind(graph, samples);
      if (cost_of_demand(graph, needed) <= kSampleFlops) return needed;
    }
  }
  return sampled_demand(graph, 2, seed);
}

Result<std::vector<Needed>> needed_within(const Graph& graph, std::uint64_t seed, SampleBudget budget) {
  std::vector<Needed> needed(graph.values().size(), Needed::everything());
  double cost = cost_of_demand(graph, needed);
  if (kWhole * cost <= budget.flops && elements_read(graph, needed) <= budget.elements) return needed;
  const bool limits_elements = budget.elements < std::numeric_limits<std::int64_t>::max();
  std::optional<std::vector<Needed>> least;
  for (const SampleSize size : {SampleSize{}, kSmallSample}) {
    for (const std::int64_t row_limit : {0, 32, 8, 2}) {
      needed = sampled_demand(graph, row_limit, seed, size);
      cost = cost_of_demand(graph, needed);
      if (cost > budget.flops) continue;
      if (!limits_elements) return needed;
      needed = demand_behind(graph, samples_of(graph, row_limit, seed, size), /*of_inputs=*/true);
      if (elements_read(graph, needed) <= budget.elements) return needed;
      if (!least || elements_read(graph, needed) < elements_read(graph, *least)) least = needed;
    }
  }
  if (least) return *std::move(least);
  char text[96];
  std::snprintf(text, sizeof text, "even a small sample of the reference costs %.3g MFLOP", cost * 1e-6);
  return Error{ErrorCode::kUnsupported, text};
}

}  // namespace fuselab::reference

namespace fuselab {
namespace {

// Returns all places that are needed, or `limit` of them, evenly spread.
std::vector<std::int64_t> places_of(const reference::Needed& needed, std::int64_t count, std::int64_t limit) {
  const std::int64_t wanted = needed.count(count);
  const std::int64_t kept = std::min(wanted, limit);
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < kept; ++i) {
    const auto at = static_cast<std::int64_t>(static_cast<double>(i) * static_cast<double>(wanted) / static_cast<double>(kept));
    places.push_back(needed.all() ? at : needed.positions()[static_cast<std::size_t>(at)]);
  }
  return places;
}

}  // namespace

Result<std::vector<std::vector<std::int64_t>>> places_behind_sample(const Graph& graph, std::uint64_t seed, SampleBudget budget) {
  FL_TRY(const std::optional<OwnReference> own, own_reference(graph));
  if (own && own->graph) return places_behind_sample(*own->graph, seed, budget);
  FL_TRY(const std::vector<reference::Needed> needed, reference::needed_within(graph, seed, budget));
  std::int64_t varied = 0;
  for (const ValueId input : graph.inputs()) varied += depends_on_pattern(graph, input) ? 1 : 0;
  std::vector<std::vector<std::int64_t>> places;
  for (const ValueId input : graph.inputs()) {
    places.emplace_back();
    if (!depends_on_pattern(graph, input)) continue;
    FL_TRY(const std::int64_t count, element_count(graph.type(input).shape));
    places.back() = places_of(needed[static_cast<std::size_t>(input)], count, budget.elements / varied);
  }
  return places;
}

}  // namespace fuselab
