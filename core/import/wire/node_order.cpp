// SPDX-License-Identifier: Apache-2.0
#include "core/import/wire/node_order.h"

#include <functional>
#include <map>
#include <queue>
#include <string>
#include <vector>

#include "core/import/wire/node_names.h"

namespace fuselab::onnx {
namespace {

// For each node those that read what it makes, and how many nodes of the list it waits for.
struct Readers {
  std::vector<std::vector<int>> of;
  std::vector<int> open;
  bool is_sorted = true;
};

Readers readers_of(const Nodes& nodes) {
  std::map<std::string, int> makers;
  for (int i = 0; i < nodes.size(); ++i) {
    for (const std::string& name : nodes[i].output()) {
      if (!name.empty()) makers.emplace(name, i);
    }
  }
  Readers readers{std::vector<std::vector<int>>(static_cast<std::size_t>(nodes.size())),
                  std::vector<int>(static_cast<std::size_t>(nodes.size()))};
  for (int i = 0; i < nodes.size(); ++i) {
    std::vector<std::string> names(nodes[i].input().begin(), nodes[i].input().end());
    append_body_names(nodes[i], names);
    for (const std::string& name : names) {
      const auto maker = makers.find(name);
      if (maker == makers.end() || maker->second == i) continue;
      readers.is_sorted = readers.is_sorted && maker->second < i;
      readers.of[static_cast<std::size_t>(maker->second)].push_back(i);
      ++readers.open[static_cast<std::size_t>(i)];
    }
  }
  return readers;
}

// Returns the nodes in their new order; fewer than all where some read each other in a circle.
std::vector<int> order_of(Readers& readers) {
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (std::size_t i = 0; i < readers.open.size(); ++i) {
    if (readers.open[i] == 0) ready.push(static_cast<int>(i));
  }
  std::vector<int> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const int reader : readers.of[static_cast<std::size_t>(order.back())]) {
      if (--readers.open[static_cast<std::size_t>(reader)] == 0) ready.push(reader);
    }
  }
  return order;
}

bool sort_list(Nodes& nodes);

bool sort_bodies(NodeProto& node) {
  bool moved = false;
  for (AttributeProto& attribute : *node.mutable_attribute()) {
    if (attribute.has_g()) moved |= sort_list(*attribute.mutable_g()->mutable_node());
    for (GraphProto& body : *attribute.mutable_graphs()) moved |= sort_list(*body.mutable_node());
  }
  return moved;
}

bool sort_list(Nodes& nodes) {
  bool moved = false;
  for (NodeProto& node : nodes) moved |= sort_bodies(node);
  Readers readers = readers_of(nodes);
  if (readers.is_sorted) return moved;
  const std::vector<int> order = order_of(readers);
  if (order.size() < static_cast<std::size_t>(nodes.size())) return moved;
  Nodes sorted;
  sorted.Reserve(nodes.size());
  for (const int i : order) sorted.Add()->Swap(&nodes[i]);
  nodes.Swap(&sorted);
  return true;
}

}  // namespace

bool sort_nodes(ModelProto& model) {
  bool moved = model.has_graph() && sort_list(*model.mutable_graph()->mutable_node());
  for (FunctionProto& function : *model.mutable_functions()) moved |= sort_list(*function.mutable_node());
  return moved;
}

}  // namespace fuselab::onnx
