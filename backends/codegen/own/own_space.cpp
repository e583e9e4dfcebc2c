// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/own/own_module.h"

#include <algorithm>

#include "backends/codegen/ir/axes.h"
#include "core/tuning/own_space.h"

namespace fuselab::codegen {
namespace {

constexpr std::string_view kThreads = "threads";

std::string_view language_of(const Target& target) {
  if (target.arch == "cuda" || target.arch == "opencl") return target.arch;
  return target.arch == "x86-64" || target.arch == "aarch64" ? "c" : "";
}

}  // namespace

bool is_own_kernel(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [](const Node& node) { return node.op == Op::kOwnKernel; });
}

Support own_support(const Graph& graph, const Target& target) {
  if (graph.nodes().size() != 1) return Support::no("a kernel of the user's own is a graph by itself");
  const auto kernel = own_kernel_of(graph.nodes().front().attributes);
  if (!kernel.ok()) return Support::no(kernel.error().message);
  if (kernel.value().language == language_of(target)) return {};
  return Support::no("the kernel is written in " + std::string(spelled_language(kernel.value().language)) + ", and " + target.id +
                     " takes " + std::string(spelled_language(language_of(target))));
}

ParameterSpace own_space(const Graph& graph, const Target& target) {
  const auto kernel = own_kernel_of(graph.nodes().front().attributes);
  if (!kernel.ok()) return {};
  auto space = own_space_of(kernel.value());
  if (!space.ok()) return {};
  if (kernel.value().language != "c" || kernel.value().tasks == "1") return std::move(space).value();
  const auto tasks = own_formula(kernel.value(), kernel.value().tasks, own_defaults_of(kernel.value()));
  std::vector<ParameterValue> counts;
  for (const std::int64_t count : thread_counts(target, tasks.ok() ? tasks.value() : 1)) counts.emplace_back(count);
  const Status added = space.value().add({std::string(kThreads), "threads that share the tasks", std::move(counts)});
  return added.ok() ? std::move(space).value() : ParameterSpace();
}

LaunchConfig own_default_config(const Graph& graph, const Target& target) {
  const auto kernel = own_kernel_of(graph.nodes().front().attributes);
  if (!kernel.ok()) return {};
  LaunchConfig config = own_defaults_of(kernel.value());
  const ParameterSpace space = own_space(graph, target);
  for (const Parameter& each : space.parameters()) {
    if (each.name == kThreads) config.set(each.name, each.values.back());
  }
  return config;
}

}  // namespace fuselab::codegen
