// SPDX-License-Identifier: Apache-2.0
#include "backends/gpu/foreign_targets.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/graph/graph_text.h"
#include "core/kernel/virtual_target.h"

namespace fuselab::gpu {
namespace {

// One kernel with vector loads and stores.
Graph sample() {
  auto graph = parse_graph("graph(x: f32[1024]) { y = Relu(x); return y }");
  FL_ASSERT(graph.ok());
  return std::move(graph).value();
}

std::string step_reached(const CodeGenerator& generator, Compiler& compiler, const Target& target) {
  const Graph graph = sample();
  const auto source = generator.generate(graph, generator.default_config(graph, target), target);
  if (!source.ok()) return "not generated: " + source.error().message;
  const auto binary = compiler.compile(source.value(), target, OptimizationLevel::kO2, {});
  if (!binary.ok()) return "generated, not compiled: " + binary.error().message;
  const CompilerFingerprint who = compiler.fingerprint();
  return "generated, compiled by " + who.id + " " + who.version + "; no such device here";
}

bool runs(const DeviceInfo& device, const Target& target) {
  const auto is_it = [&](const Target& each) { return each.id == target.id; };
  return is_it(device.target) || std::any_of(device.other_targets.begin(), device.other_targets.end(), is_it);
}

}  // namespace

std::map<std::string, std::string> foreign_targets(std::string_view backend, std::span<const DeviceInfo> devices,
                                                   const CodeGenerator& generator, Compiler& compiler) {
  std::map<std::string, std::string> steps;
  if (!compiler.probe().usable) return steps;
  for (const std::string& id : virtual_target_ids()) {
    const VirtualTarget listed = virtual_target(id).value();
    if (listed.backend != backend) continue;
    const Target& target = listed.target;
    if (std::any_of(devices.begin(), devices.end(), [&](const DeviceInfo& device) { return runs(device, target); })) continue;
    steps[target.id] = step_reached(generator, compiler, target);
  }
  return steps;
}

}  // namespace fuselab::gpu
