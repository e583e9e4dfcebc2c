// SPDX-License-Identifier: Apache-2.0
#include "core/workloads/workload.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/graph/graph_text.h"
#include "core/ops/op_attributes.h"
#include "embedded/core/workloads/workloads.h"

namespace fuselab {
namespace {

constexpr std::size_t kMostSuggestions = 6;

// The value of "# <field>: value" in the comments of a workload file; empty when there is none.
std::string header_field(std::string_view text, std::string_view field) {
  const std::string start = "# " + std::string(field) + ": ";
  const auto found = text.find(start);
  if (found == std::string_view::npos) return {};
  const auto begin = found + start.size();
  return std::string(text.substr(begin, text.find('\n', begin) - begin));
}

Workload read_workload(std::string_view file_name, std::string_view text) {
  Workload workload;
  workload.id = std::string(file_name.substr(0, file_name.rfind('.')));
  workload.title = header_field(text, "title");
  workload.family = header_field(text, "family");
  workload.graph_text = std::string(text);
  auto shape = parse_bindings(header_field(text, "shape"));
  FL_ASSERT(shape.ok());
  workload.default_shape = std::move(shape).value();
  FL_ASSERT(!workload.title.empty() && !workload.family.empty());
  return workload;
}

std::vector<Workload> read_all() {
  std::vector<Workload> all;
  for (const auto& file : workloads::embedded_files()) all.push_back(read_workload(file.name, file.text));
  return all;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string_view short_name(const Workload& workload) {
  return std::string_view(workload.id).substr(0, workload.id.find('-'));
}

// Levenshtein distance: how many typing mistakes lie between two names.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::string near_names(std::string_view name) {
  constexpr std::size_t kLongestName = 64;
  const std::string_view wanted = name.substr(0, kLongestName);
  std::vector<std::pair<std::size_t, std::string_view>> ranked;
  for (const Workload& workload : builtin_workloads()) {
    const bool contained = wanted.size() >= 3 && workload.id.find(wanted) != std::string::npos;
    const std::string_view tail = std::string_view(workload.id).substr(workload.id.find('-') + 1);
    const std::size_t distance = std::min(edit_distance(wanted, workload.id), edit_distance(wanted, tail));
    if (contained || distance <= std::max<std::size_t>(wanted.size() / 3, 2))
      ranked.emplace_back(contained ? 0 : distance, workload.id);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string names;
  for (std::size_t i = 0; i < std::min(ranked.size(), kMostSuggestions); ++i) {
    names += (i == 0 ? "" : ", ") + std::string(ranked[i].second);
  }
  return names;
}

// Constants and casts carry their type themselves.
void give_type(Node& node, DType dtype) {
  const std::string name(name_of(dtype));
  if (node.op == Op::kConstant) {
    const auto own = parse_dtype(node.attributes.text("dtype", "f32"));
    if (own && is_floating(*own)) node.attributes.set("dtype", name);
  }
  if (node.op == Op::kCast) {
    const auto target = cast_target(node.attributes);
    if (target && is_floating(*target)) node.attributes.set("to", name);
  }
}

}  // namespace

std::span<const Workload> builtin_workloads() {
  static const std::vector<Workload> kAll = read_all();
  return kAll;
}

Result<const Workload*> find_workload(std::string_view name) {
  const std::string wanted = lower(name);
  for (const Workload& workload : builtin_workloads()) {
    if (workload.id == wanted) return &workload;
  }
  for (const Workload& workload : builtin_workloads()) {
    if (short_name(workload) == wanted) return &workload;
  }
  const std::string near = near_names(wanted);
  const std::string hint = near.empty() ? "`fuselab workloads` lists them" : "near it: " + near;
  return Error{ErrorCode::kNotFound, "no built-in workload is called '" + std::string(name) + "'; " + hint};
}

std::vector<std::string> also_meant(std::string_view name) {
  const std::string wanted = lower(name);
  std::vector<std::string> ids;
  for (const Workload& workload : builtin_workloads()) {
    if (short_name(workload) == wanted) ids.push_back(workload.id);
  }
  if (!ids.empty()) ids.erase(ids.begin());  // what is found
  return ids;
}

Result<Graph> instantiate(const Workload& workload, const Bindings& shape, DType dtype) {
  if (!is_floating(dtype)) {
    return invalid_argument("workload " + workload.id + ": needs a floating-point type, got " + std::string(name_of(dtype)));
  }
  auto parsed = parse_graph(workload.graph_text);
  if (!parsed.ok()) return parsed.error().within(workload.id);
  Graph graph = std::move(parsed).value();
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) give_type(graph.node(static_cast<NodeId>(n)), dtype);
  auto typed = retype(graph, [&](const Value& value) {
    TensorType type = value.type;
    if (is_floating(type.dtype)) type.dtype = dtype;
    return type;
  });
  if (!typed.ok()) return typed.error().within(workload.id);
  auto bound = fuselab::bind(typed.value(), shape.empty() ? workload.default_shape : shape);
  if (!bound.ok()) return bound.error().within(workload.id);
  return bound;
}

}  // namespace fuselab
