// SPDX-License-Identifier: Apache-2.0
#include "app/gui/graph/layered_layout.h"

#include <algorithm>
#include <iterator>

namespace fuselab::gui {
namespace {

constexpr int kOrderSweeps = 8;
constexpr int kPlaceSweeps = 6;
constexpr double kBendWidth = 8;  // room for an edge that passes a layer

// Nodes and, for every layer that a long edge passes, a bend. Edges join neighbouring layers only.
struct Layered {
  std::vector<double> widths;
  std::vector<int> layer;
  std::vector<std::vector<int>> above, below;  // neighbours
  std::vector<std::vector<int>> order;         // per layer
  std::vector<std::vector<int>> chains;        // of each input edge: from, bends, to
  std::vector<double> x;                       // centre
};

std::vector<int> longest_path_layers(const LayoutInput& input) {
  const std::size_t count = input.widths.size();
  std::vector<int> layers(count, 0), waiting(count, 0), inputs(count, 0);
  std::vector<std::vector<int>> next(count);
  for (const auto& [from, to] : input.edges) {
    next[static_cast<std::size_t>(from)].push_back(to);
    ++waiting[static_cast<std::size_t>(to)];
    ++inputs[static_cast<std::size_t>(to)];
  }
  std::vector<int> ready;
  for (std::size_t node = 0; node < count; ++node) {
    if (waiting[node] == 0) ready.push_back(static_cast<int>(node));
  }
  for (std::size_t done = 0; done < ready.size(); ++done) {
    const auto node = static_cast<std::size_t>(ready[done]);
    for (int consumer : next[node]) {
      const auto to = static_cast<std::size_t>(consumer);
      layers[to] = std::max(layers[to], layers[node] + 1);
      if (--waiting[to] == 0) ready.push_back(consumer);
    }
  }
  // A source far above its only reader would draw a long edge: move it down beside that reader.
  for (std::size_t node = 0; node < count; ++node) {
    if (inputs[node] > 0 || next[node].empty()) continue;
    int nearest = layers[static_cast<std::size_t>(next[node].front())];
    for (int consumer : next[node]) nearest = std::min(nearest, layers[static_cast<std::size_t>(consumer)]);
    layers[node] = std::max(0, nearest - 1);
  }
  return layers;
}

int add_bend(Layered& graph, int layer) {
  graph.widths.push_back(kBendWidth);
  graph.layer.push_back(layer);
  graph.above.emplace_back();
  graph.below.emplace_back();
  return static_cast<int>(graph.widths.size()) - 1;
}

Layered make_layers(const LayoutInput& input) {
  Layered graph;
  graph.widths = input.widths;
  graph.layer = longest_path_layers(input);
  graph.above.resize(input.widths.size());
  graph.below.resize(input.widths.size());
  for (const auto& [from, to] : input.edges) {
    std::vector<int> chain{from};
    const int last = graph.layer[static_cast<std::size_t>(to)];
    // Against the layers (a cycle): drawn as one straight line.
    for (int layer = graph.layer[static_cast<std::size_t>(from)] + 1; layer < last; ++layer)
      chain.push_back(add_bend(graph, layer));
    chain.push_back(to);
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
      graph.below[static_cast<std::size_t>(chain[i])].push_back(chain[i + 1]);
      graph.above[static_cast<std::size_t>(chain[i + 1])].push_back(chain[i]);
    }
    graph.chains.push_back(std::move(chain));
  }
  const int layers = graph.layer.empty() ? 0 : *std::max_element(graph.layer.begin(), graph.layer.end()) + 1;
  graph.order.resize(static_cast<std::size_t>(layers));
  for (std::size_t node = 0; node < graph.layer.size(); ++node) {
    graph.order[static_cast<std::size_t>(graph.layer[node])].push_back(static_cast<int>(node));
  }
  graph.x.assign(graph.widths.size(), 0);
  return graph;
}

double mean_of(const std::vector<int>& nodes, const std::vector<double>& values, double otherwise) {
  if (nodes.empty()) return otherwise;
  double sum = 0;
  for (int node : nodes) sum += values[static_cast<std::size_t>(node)];
  return sum / static_cast<double>(nodes.size());
}

void number_positions(const std::vector<int>& layer, std::vector<double>& position) {
  for (std::size_t i = 0; i < layer.size(); ++i) position[static_cast<std::size_t>(layer[i])] = static_cast<double>(i);
}

void order_layer(std::vector<int>& layer, const std::vector<std::vector<int>>& neighbours, std::vector<double>& position) {
  std::vector<std::pair<double, int>> keyed;
  for (int node : layer) {
    const auto n = static_cast<std::size_t>(node);
    keyed.emplace_back(mean_of(neighbours[n], position, position[n]), node);
  }
  std::stable_sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::transform(keyed.begin(), keyed.end(), layer.begin(), [](const auto& entry) { return entry.second; });
  number_positions(layer, position);
}

void order_layers(Layered& graph) {
  std::vector<double> position(graph.widths.size(), 0);
  for (const auto& layer : graph.order) number_positions(layer, position);
  for (int sweep = 0; sweep < kOrderSweeps; ++sweep) {
    for (std::size_t l = 1; l < graph.order.size(); ++l) order_layer(graph.order[l], graph.above, position);
    for (std::size_t l = graph.order.size(); l-- > 1;) order_layer(graph.order[l - 1], graph.below, position);
  }
}

// Nearest to the wished centres in least squares, keeping order and gaps: pools of nodes that push each other share their
// mean (pool adjacent violators).
void place_layer(const std::vector<int>& layer, const std::vector<double>& wish, Layered& graph) {
  struct Pool {
    double sum = 0;
    std::size_t count = 0;
    double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<double> offset(layer.size(), 0);
  for (std::size_t i = 1; i < layer.size(); ++i) {
    const auto left = static_cast<std::size_t>(layer[i - 1]), right = static_cast<std::size_t>(layer[i]);
    offset[i] = offset[i - 1] + (graph.widths[left] + graph.widths[right]) / 2 + kNodeGap;
  }
  std::vector<Pool> pools;
  for (std::size_t i = 0; i < layer.size(); ++i) {
    pools.push_back({wish[static_cast<std::size_t>(layer[i])] - offset[i], 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
      const Pool top = pools.back();
      pools.pop_back();
      pools.back().sum += top.sum;
      pools.back().count += top.count;
    }
  }
  std::size_t i = 0;
  for (const Pool& pool : pools) {
    for (std::size_t k = 0; k < pool.count; ++k, ++i) graph.x[static_cast<std::size_t>(layer[i])] = pool.mean() + offset[i];
  }
}

void place_nodes(Layered& graph) {
  std::vector<double> wish(graph.widths.size(), 0);
  for (const auto& layer : graph.order) place_layer(layer, wish, graph);
  for (int sweep = 0; sweep < kPlaceSweeps; ++sweep) {
    const bool down = sweep % 2 == 0;
    for (std::size_t step = 0; step < graph.order.size(); ++step) {
      const auto& layer = graph.order[down ? step : graph.order.size() - 1 - step];
      for (int node : layer) {
        const auto n = static_cast<std::size_t>(node);
        const double near = mean_of(down ? graph.above[n] : graph.below[n], graph.x, graph.x[n]);
        const double far = mean_of(down ? graph.below[n] : graph.above[n], graph.x, near);
        wish[n] = 0.7 * near + 0.3 * far;
      }
      place_layer(layer, wish, graph);
    }
  }
}

double layer_top(int layer) {
  return layer * (kNodeHeight + kLayerGap);
}

QPolygonF edge_line(const Layered& graph, const std::vector<int>& chain) {
  QPolygonF line;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const auto n = static_cast<std::size_t>(chain[i]);
    const double top = layer_top(graph.layer[n]);
    if (i > 0) line << QPointF(graph.x[n], top);
    if (i + 1 < chain.size()) line << QPointF(graph.x[n], top + kNodeHeight);
  }
  return line;
}

}  // namespace

GraphLayout layered_layout(const LayoutInput& input) {
  Layered graph = make_layers(input);
  order_layers(graph);
  place_nodes(graph);
  GraphLayout layout;
  for (std::size_t node = 0; node < input.widths.size(); ++node) {
    const QRectF rect(graph.x[node] - graph.widths[node] / 2, layer_top(graph.layer[node]), graph.widths[node], kNodeHeight);
    layout.nodes.push_back(rect);
    layout.layers.push_back(graph.layer[node]);
    layout.bounds = layout.bounds.united(rect);
  }
  layout.layer_nodes.resize(graph.order.size());
  for (std::size_t layer = 0; layer < graph.order.size(); ++layer) {
    std::copy_if(graph.order[layer].begin(), graph.order[layer].end(), std::back_inserter(layout.layer_nodes[layer]),
                 [&](int node) { return static_cast<std::size_t>(node) < input.widths.size(); });
  }
  for (const auto& chain : graph.chains) layout.edges.push_back(edge_line(graph, chain));
  return layout;
}

}  // namespace fuselab::gui
