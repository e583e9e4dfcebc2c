// SPDX-License-Identifier: Apache-2.0
#include "backends/onednn/onednn_provider.h"

#include <algorithm>

#include "backends/onednn/built_plan.h"
#include "backends/onednn/claims.h"
#include "core/graph/graph_text.h"
#include "core/kernel/drawback.h"

namespace fuselab::onednn {
namespace {

constexpr std::string_view kEntry = "onednn_plan";

KernelAbi abi_of(const Graph& graph) {
  KernelAbi abi;
  abi.entry = std::string(kEntry);
  const auto argument = [&](ValueId value, BufferRole role) {
    abi.arguments.push_back({graph.value(value).name, role, graph.type(value), 64});
  };
  for (const ValueId input : graph.inputs()) argument(input, BufferRole::kIn);
  for (const ValueId output : graph.outputs()) argument(output, BufferRole::kOut);
  return abi;
}

std::vector<ParameterValue> thread_counts(std::int64_t most) {
  std::vector<ParameterValue> counts;
  for (std::int64_t n = 1; n < most; n *= 2) counts.emplace_back(n);
  counts.emplace_back(most);
  return counts;
}

std::int64_t most_threads(const Target& target) {
  const auto found = target.limits.find("max_threads");
  return found == target.limits.end() ? 1 : found->second;
}

bool has_constant_weights(const PrimitivePlan& plan) {
  return std::any_of(plan.primitives.begin(), plan.primitives.end(),
                     [](const PrimitiveSpec& each) { return each.constant_weights; });
}

bool has_convolution(const PrimitivePlan& plan) {
  return std::any_of(plan.primitives.begin(), plan.primitives.end(),
                     [](const PrimitiveSpec& each) { return each.kind == PrimitiveKind::kConvolution; });
}

bool takes_reference_path(const OneDnnLibrary& library, const PrimitivePlan& plan) {
  return std::any_of(plan.primitives.begin(), plan.primitives.end(), [&](const PrimitiveSpec& each) {
    const auto implementation = ask(library)(each);
    return implementation.ok() && is_reference_path(implementation.value());
  });
}

std::string words_of(const PrimitiveSpec& spec) {
  std::string text = std::string(name_of(spec.kind)) + " covers " + spec.covers;
  return spec.why_apart.empty() ? text : text + "; apart, because it " + spec.why_apart;
}

}  // namespace

Result<const PrimitivePlan*> OneDnnProvider::plan_for(const Graph& graph, const Target& target) const {
  const auto& found = stack_.library();
  if (!found.ok()) return found.error();
  OneDnnLibrary& library = *found.value();
  const std::string own = "onednn-" + library.version() + "-" + library.isa();
  if (target.arch != "onednn") return Error{ErrorCode::kUnsupported, "target " + target.id + " is not oneDNN's"};
  if (target.id != own) return Error{ErrorCode::kUnsupported, "target " + target.id + " is another library's, here is " + own};
  if (!graph.is_concrete()) return invalid_argument("the graph has unbound symbols; bind them with --shape");
  std::string text = named_text(graph) + own;
  if (text != lowered_) {
    FL_TRY_VOID(library.team().use(library.team().most()));
    lowered_.clear();
    FL_TRY(plan_, lower(graph, ask(library)));
    lowered_ = std::move(text);
  }
  return &plan_;
}

Support OneDnnProvider::supports(const Graph& graph, const Target& target) const {
  const auto plan = plan_for(graph, target);
  return plan.ok() ? Support{} : Support::no(plan.error().message);
}

ParameterSpace OneDnnProvider::space(const Graph& graph, const Target& target) const {
  ParameterSpace space;
  const auto plan = plan_for(graph, target);
  if (!plan.ok()) return space;
  Status added;
  const auto add = [&](Parameter parameter) {
    if (added.ok()) added = space.add(std::move(parameter));
  };
  add({"threads", "threads that the library computes with", thread_counts(most_threads(target))});
  add({"primitives",
       "oneDNN primitives that cover the piece; all but the first could not become post-ops",
       {static_cast<std::int64_t>(plan.value()->primitives.size())}});
  if (has_constant_weights(*plan.value())) {
    add({"weights", "packed: constant weights lie as the library likes, laid out ahead of what is timed", {"plain", "packed"}});
  }
  if (has_convolution(*plan.value())) {
    add({"activations", "blocked: they lie as the library likes, laid out anew in every launch", {"plain", "blocked"}});
  }
  if (takes_reference_path(*stack_.library().value(), *plan.value())) {
    add({"path", "reference: the library has nothing faster than its reference code for one of the primitives", {"reference"}});
  }
  for (const DrawbackParameter& each : parameters_of(drawbacks_in(graph))) add({each.name, each.description, {each.value}});
  add({"scratch", "whose memory a primitive works in: the library's, or one that was made once for it", {"library", "own"}});
  FL_ASSERT(added.ok());
  return space;
}

LaunchConfig OneDnnProvider::default_config(const Graph& graph, const Target& target) const {
  LaunchConfig config;
  const auto plan = plan_for(graph, target);
  if (!plan.ok()) return config;
  config.set("threads", most_threads(target));
  config.set("primitives", static_cast<std::int64_t>(plan.value()->primitives.size()));
  if (has_constant_weights(*plan.value())) config.set("weights", "plain");
  if (has_convolution(*plan.value())) config.set("activations", "plain");
  if (takes_reference_path(*stack_.library().value(), *plan.value())) config.set("path", "reference");
  for (const DrawbackParameter& each : parameters_of(drawbacks_in(graph))) config.set(each.name, each.value);
  config.set("scratch", "library");
  return config;
}

Result<SourceModule> OneDnnProvider::generate(const Graph& graph, const LaunchConfig& config, const Target& target) const {
  FL_TRY(const PrimitivePlan* const plan, plan_for(graph, target));
  if (const Drawbacks unsaid = drawbacks_in(graph).without(drawbacks_of(config)); !unsaid.empty()) {
    return invalid_argument("the library " + verbs_of(unsaid) + " here: the configuration of this kernel must say " +
                            statements_of(unsaid));
  }
  OneDnnLibrary& library = *stack_.library().value();
  FL_TRY_VOID(library.team().use(static_cast<int>(config.integer("threads", 1))));
  PlanText text{library.version(), library.isa(), config, graph, {}, {}};
  const PrimitiveChoices choices = choices_of(config);
  for (const PrimitiveSpec& spec : plan->primitives) {
    FL_TRY(const DescribedPrimitive described, DescribedPrimitive::describe(library, spec, choices));
    text.implementations.push_back(described.implementation());
    text.words.push_back(words_of(spec));
  }
  SourceModule module;
  module.language = std::string(kPlanFormat);
  module.text = write_plan(text);
  module.entry = std::string(kEntry);
  module.generator = std::string(id());
  module.generator_version = std::string(version());
  module.abi = abi_of(graph);
  return module;
}

LibraryFingerprint OneDnnProvider::library() {
  const auto& found = stack_.library();
  if (!found.ok()) return {};
  return {"oneDNN", found.value()->version() + " " + found.value()->hash()};
}

Availability OneDnnCompiler::probe() {
  const auto& found = stack_.library();
  return found.ok() ? Availability::available() : Availability::unavailable(found.error().message);
}

CompilerFingerprint OneDnnCompiler::fingerprint() {
  const auto& found = stack_.library();
  return found.ok() ? CompilerFingerprint{"oneDNN", found.value()->version()} : CompilerFingerprint{};
}

// Strict arithmetic: what the library would gain by rounding f32 operands to bf16 lies outside f32's tolerance.
std::string OneDnnCompiler::flags(const Target&, OptimizationLevel) const {
  return "fpmath=strict";
}

Result<KernelBinary> OneDnnCompiler::compile(const SourceModule& source, const Target&, OptimizationLevel, std::stop_token stop) {
  const auto& found = stack_.library();
  if (!found.ok()) return found.error();
  if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled before it was compiled"};
  FL_TRY(const PlanText plan, read_plan(source.text));
  FL_TRY(const auto built, BuiltPlan::build(found.value(), plan));
  KernelBinary binary;
  binary.format = std::string(kPlanFormat);
  const auto* bytes = reinterpret_cast<const std::byte*>(source.text.data());
  binary.data.assign(bytes, bytes + source.text.size());
  const auto references = std::count_if(plan.implementations.begin(), plan.implementations.end(), is_reference_path);
  binary.metadata = {{"compiler", "oneDNN"},
                     {"version", found.value()->version()},
                     {"flags", "fpmath=strict"},
                     {"remarks", built->remarks()},
                     {"resource.primitives", std::to_string(plan.implementations.size())},
                     {"resource.reference_primitives", std::to_string(references)}};
  return binary;
}

}  // namespace fuselab::onednn
