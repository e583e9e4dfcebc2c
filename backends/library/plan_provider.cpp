// SPDX-License-Identifier: Apache-2.0
#include "backends/library/plan_provider.h"

#include "backends/library/plan_text.h"
#include "core/graph/graph_text.h"
#include "core/kernel/drawback.h"

namespace fuselab::library {
namespace {

constexpr std::string_view kEntry = "library_plan";

std::vector<ParameterValue> thread_counts(std::int64_t most) {
  std::vector<ParameterValue> counts;
  for (std::int64_t n = 1; n < most; n *= 2) counts.emplace_back(n);
  counts.emplace_back(most);
  return counts;
}

}  // namespace

KernelAbi plan_abi(const Graph& graph, std::string entry) {
  KernelAbi abi;
  abi.entry = std::move(entry);
  const auto argument = [&](ValueId value, BufferRole role) {
    abi.arguments.push_back({graph.value(value).name, role, graph.type(value), 64});
  };
  for (const ValueId input : graph.inputs()) argument(input, BufferRole::kIn);
  for (const ValueId output : graph.outputs()) argument(output, BufferRole::kOut);
  return abi;
}

Result<const PlanOutline*> PlanProvider::outline_for(const Graph& graph, const Target& target) const {
  const auto& found = lazy_.library();
  if (!found.ok()) return found.error();
  const std::string own = target_id(found.value()->facts());
  if (target.id != own) return Error{ErrorCode::kUnsupported, "target " + target.id + " is another library's, here is " + own};
  if (!graph.is_concrete()) return invalid_argument("the graph has unbound symbols; bind them with --shape");
  std::string text = named_text(graph);
  if (text != outlined_) {
    outlined_.clear();
    FL_TRY(outline_, found.value()->outline(graph));
    outlined_ = std::move(text);
  }
  return &outline_;
}

Support PlanProvider::supports(const Graph& graph, const Target& target) const {
  const auto outline = outline_for(graph, target);
  return outline.ok() ? Support{} : Support::no(outline.error().message);
}

ParameterSpace PlanProvider::space(const Graph& graph, const Target& target) const {
  ParameterSpace space;
  const auto outline = outline_for(graph, target);
  if (!outline.ok()) return space;
  Status added;
  const auto add = [&](Parameter parameter) {
    if (added.ok()) added = space.add(std::move(parameter));
  };
  if (const int most = lazy_.library().value()->facts().most_threads; most > 0) {
    add({"threads", "threads that the library computes with", thread_counts(most)});
  }
  for (const Parameter& parameter : outline.value()->parameters) add(parameter);
  for (const DrawbackParameter& each : parameters_of(outline.value()->drawbacks)) add({each.name, each.description, {each.value}});
  for (const Constraint& each : outline.value()->constraints) {
    if (added.ok()) added = space.add(each);
  }
  FL_ASSERT(added.ok());
  return space;
}

LaunchConfig PlanProvider::default_config(const Graph& graph, const Target& target) const {
  LaunchConfig config;
  const auto outline = outline_for(graph, target);
  if (!outline.ok()) return config;
  if (const std::int64_t most = lazy_.library().value()->facts().most_threads; most > 0) config.set("threads", most);
  for (const Parameter& parameter : outline.value()->parameters) config.set(parameter.name, parameter.values.front());
  for (const DrawbackParameter& each : parameters_of(outline.value()->drawbacks)) config.set(each.name, each.value);
  return config;
}

Result<SourceModule> PlanProvider::generate(const Graph& graph, const LaunchConfig& config, const Target& target) const {
  FL_TRY(const PlanOutline* const outline, outline_for(graph, target));
  if (const Drawbacks unsaid = outline->drawbacks.without(drawbacks_of(config)); !unsaid.empty()) {
    return invalid_argument("the library " + verbs_of(unsaid) + " here: the configuration of this kernel must say " +
                            statements_of(unsaid));
  }
  SourceModule module;
  module.language = std::string(kPlanFormat);
  module.text = write_plan(plan_for(lazy_.library().value()->facts(), config, graph, outline->steps, outline->program));
  module.entry = std::string(kEntry);
  module.generator = std::string(id());
  module.generator_version = std::string(version());
  module.abi = plan_abi(graph, module.entry);
  return module;
}

LibraryFingerprint PlanProvider::library() {
  const auto& found = lazy_.library();
  if (!found.ok()) return {};
  const LibraryFacts& facts = found.value()->facts();
  return {facts.name, facts.build.empty() ? facts.version : facts.version + " " + facts.build};
}

Availability PlanCompiler::probe() {
  const auto& found = lazy_.library();
  return found.ok() ? Availability::available() : Availability::unavailable(found.error().message);
}

CompilerFingerprint PlanCompiler::fingerprint() {
  const auto& found = lazy_.library();
  return found.ok() ? CompilerFingerprint{found.value()->facts().name, found.value()->facts().version} : CompilerFingerprint{};
}

std::string PlanCompiler::flags(const Target&, OptimizationLevel) const {
  const auto& found = lazy_.library();
  return found.ok() ? found.value()->facts().flags : std::string();
}

Result<KernelBinary> PlanCompiler::compile(const SourceModule& source, const Target&, OptimizationLevel, std::stop_token stop) {
  const auto& found = lazy_.library();
  if (!found.ok()) return found.error();
  if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled before it was compiled"};
  const LibraryFacts& facts = found.value()->facts();
  FL_TRY(PlanText plan, read_plan(source.text, facts));
  std::string stored = source.text;
  if (!plan.program.empty()) {
    stored.resize(stored.size() - plan.program.size());
    FL_TRY(plan.program, found.value()->compile(plan));
    stored += plan.program;
  }
  FL_TRY(const std::string remarks, found.value()->try_plan(plan));
  KernelBinary binary;
  binary.format = std::string(kPlanFormat);
  const auto* bytes = reinterpret_cast<const std::byte*>(stored.data());
  binary.data.assign(bytes, bytes + stored.size());
  binary.metadata = {{"compiler", facts.name}, {"version", facts.version}, {"flags", facts.flags}, {"remarks", remarks}};
  return binary;
}

}  // namespace fuselab::library
