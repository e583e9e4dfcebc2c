// SPDX-License-Identifier: Apache-2.0
#include "app/engine/kernels/requests.h"

#include "core/graph/graph_text.h"

namespace fuselab::engine {
namespace {

OptimizationLevel level_or_usual(const std::string& level) {
  const auto parsed = parse_optimization_level(level);
  return parsed.ok() ? parsed.value() : OptimizationLevel::kO2;
}

}  // namespace

wire::DescribeRequest describe_request(const DeviceInfo& device, const std::string& level, const Graph& graph) {
  return {device.backend, device.target, canonical_text(graph), level_or_usual(level)};
}

wire::CompileRequest compile_request(const DeviceInfo& device, const std::string& level, const Graph& graph,
                                     const LaunchConfig& config) {
  return {device.backend, device.target, canonical_text(graph), config, level_or_usual(level)};
}

wire::GenerateRequest generate_request(const DeviceInfo& device, const std::string& level, const Graph& graph,
                                       std::vector<LaunchConfig> configs) {
  return {device.backend, device.target, canonical_text(graph), std::move(configs), level_or_usual(level)};
}

std::string generation_key(const DeviceInfo& device, const std::string& level, const wire::DescribeReply& described) {
  IdentityHasher hasher("generation");
  hasher.add("backend", device.backend).add("target", device.target.id);
  hasher.add("generator", described.generator).add("generator_version", described.generator_version);
  hasher.add("compiler", described.compiler).add("compiler_version", described.compiler_version).add("flags", described.flags);
  const auto parsed = parse_optimization_level(level);  // kernels of another level have other names
  hasher.add("level", parsed.ok() ? std::string(name_of(parsed.value())) : level);
  for (const Parameter& parameter : described.space.parameters()) {
    for (const ParameterValue& value : parameter.values) hasher.add(parameter.name, parameter_text(value));
  }
  for (const Constraint& constraint : described.space.constraints()) hasher.add("constraint", constraint.expression);
  return hasher.finish().hex();
}

std::string failed_plan_key(const std::string& piece_key, const std::string& config, const std::string& generation) {
  return IdentityHasher("failed plan").add("piece", piece_key).add("config", config).add("generation", generation).finish().hex();
}

}  // namespace fuselab::engine
