// SPDX-License-Identifier: Apache-2.0
#include "backends/native/compiler/foreign_targets.h"

#include <algorithm>

#include "backends/native/compiler/cross_compiler.h"
#include "core/base/assert.h"
#include "core/graph/graph_text.h"

namespace fuselab::cpu {
namespace {

Target virtual_target(const char* id, const char* arch, std::int64_t vector_bytes) {
  return {id, arch, {{"vector_bytes", vector_bytes}, {"cores", 4}, {"max_threads", 4}}};
}

// One kernel with loads, stores, a reduction and a polynomial of the preludes.
Graph sample() {
  auto graph = parse_graph("graph(x: f32[16,100]) { y = Softmax(x); return y }");
  FL_ASSERT(graph.ok());
  return std::move(graph).value();
}

std::string step_reached(const CodeGenerator& generator, Compiler& compiler, const Target& target) {
  const Graph graph = sample();
  const auto source = generator.generate(graph, generator.default_config(graph, target), target);
  if (!source.ok()) return "not generated: " + source.error().message;
  if (const Availability usable = compiler.probe(); !usable.usable) return "generated, not compiled: " + usable.reason;
  const auto binary = compiler.compile(source.value(), target, OptimizationLevel::kO1, {});
  if (!binary.ok()) return "generated, not compiled: " + binary.error().message;
  const CompilerFingerprint who = compiler.fingerprint();
  return "generated, compiled by " + who.id + " " + who.version + "; no such device here";
}

bool runs(const DeviceInfo& device, const Target& target) {
  const auto is_it = [&](const Target& each) { return each.id == target.id; };
  return is_it(device.target) || std::any_of(device.other_targets.begin(), device.other_targets.end(), is_it);
}

}  // namespace

Target neon_target() {
  return virtual_target("armv8-a+simd", "aarch64", 16);
}

std::map<std::string, std::string> foreign_targets(const DeviceInfo& device, const CodeGenerator& generator, Compiler& host) {
  std::map<std::string, std::string> steps;
  for (const Target& target : {virtual_target("x86-64-v3", "x86-64", 32), virtual_target("x86-64-v4", "x86-64", 64)}) {
    if (!runs(device, target)) steps[target.id] = step_reached(generator, host, target);
  }
  CrossCompiler cross;
  const Target neon = neon_target();
  steps[neon.id] = step_reached(generator, cross, neon);
  return steps;
}

}  // namespace fuselab::cpu
