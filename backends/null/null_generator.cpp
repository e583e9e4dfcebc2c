// SPDX-License-Identifier: Apache-2.0
#include "backends/null/null_generator.h"

#include "backends/null/null_script.h"

namespace fuselab::null {
namespace {

Parameter axis(std::string name, std::string meaning) {
  Parameter parameter{std::move(name), std::move(meaning), {}};
  for (std::int64_t value = 0; value < 8; ++value) parameter.values.emplace_back(value);
  return parameter;
}

Parameter fault_axis(const Target& target) {
  Parameter parameter{"fault", "what goes wrong", {}};
  for (const auto& row : faults()) {
    if (row.fault == Fault::kNone || target.id == kFaultyTarget) parameter.values.emplace_back(std::string(row.name));
  }
  return parameter;
}

// A space is built from constants: that it can be built is proved by the tests, not decided at run time.
template <typename Part>
void must_add(ParameterSpace& space, Part part) {
  [[maybe_unused]] const auto added = space.add(std::move(part));
  FL_ASSERT(added.ok());
}

KernelArgument argument(const Graph& graph, ValueId value, BufferRole role) {
  return {graph.value(value).name, role, graph.type(value), 64};
}

}  // namespace

Support NullGenerator::supports(const Graph& graph, const Target& target) const {
  if (target.arch != "null") return Support::no("the null backend knows no target '" + target.id + "'");
  for (const auto& node : graph.nodes()) {
    if (node.op == Op::kOpaque) return Support::no("operator '" + node.opaque_type + "' is opaque: what it computes is not known");
  }
  if (!graph.is_concrete()) return Support::no("the graph has unbound symbols; bind them with --shape");
  return {};
}

ParameterSpace NullGenerator::space(const Graph&, const Target& target) const {
  ParameterSpace space;
  must_add(space, axis("a", "first coordinate of the scripted latency"));
  must_add(space, axis("b", "second coordinate of the scripted latency"));
  must_add(space, fault_axis(target));
  must_add(space, Constraint{"a + b <= 12", "the synthetic device has 12 synthetic units"});
  return space;
}

LaunchConfig NullGenerator::default_config(const Graph&, const Target&) const {
  return {{"a", std::int64_t{0}}, {"b", std::int64_t{0}}, {"fault", std::string("none")}};
}

Result<SourceModule> NullGenerator::generate(const Graph& graph, const LaunchConfig& config, const Target& target) const {
  if (const auto support = supports(graph, target); !support.yes) return Error{ErrorCode::kUnsupported, support.why_not};
  FL_TRY(const auto script, script_for(graph, config));
  SourceModule source;
  source.language = "null";
  source.text = script.text();
  source.entry = "null_kernel";
  source.generator = id();
  source.generator_version = version();
  source.abi.entry = source.entry;
  for (const ValueId value : graph.inputs()) source.abi.arguments.push_back(argument(graph, value, BufferRole::kIn));
  for (const ValueId value : graph.outputs()) source.abi.arguments.push_back(argument(graph, value, BufferRole::kOut));
  return source;
}

}  // namespace fuselab::null
