// SPDX-License-Identifier: Apache-2.0
#include "backends/xla/xla_library.h"

#include "backends/host/processor.h"
#include "backends/library/plan_text.h"
#include "backends/xla/claims.h"
#include "backends/xla/library/pjrt_library.h"
#include "backends/xla/stablehlo/stablehlo_text.h"
#include "backends/xla/xla_plan.h"

namespace fuselab::xla {

Status may_compute(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    if (is_square(graph, node)) continue;
    const char* const why_not = claims().against(node.op);
    if (why_not != nullptr) return Error{ErrorCode::kUnsupported, std::string(name_of(node.op)) + ": " + why_not};
  }
  for (const Value& value : graph.values()) {
    if (is_asked_type(value.type.dtype)) continue;
    return Error{ErrorCode::kUnsupported, std::string(name_of(value.type.dtype)) + " is not asked of XLA"};
  }
  return library::has_elements(graph);
}

Result<std::shared_ptr<library::HostLibrary>> XlaLibrary::open(const loading::Surroundings& surroundings) {
  FL_TRY(std::shared_ptr<PjrtLibrary> plugin, PjrtLibrary::open(surroundings));
  return std::shared_ptr<library::HostLibrary>(std::make_shared<XlaLibrary>(std::move(plugin)));
}

XlaLibrary::XlaLibrary(std::shared_ptr<PjrtLibrary> plugin)
    : plugin_(std::move(plugin)),
      facts_{"xla",
             "XLA (PJRT)",
             plugin_->interface(),
             plugin_->build(),
             plugin_->path(),
             host::describe_cpu().target.id,
             "XLA's, of a client for each number",
             static_cast<int>(host::usable_cpus().size()),
             "precision=highest"} {}

Result<library::PlanOutline> XlaLibrary::outline(const Graph& graph) {
  FL_TRY_VOID(may_compute(graph));
  library::PlanOutline outline;
  FL_TRY(outline.program, stablehlo_text(graph));
  outline.drawbacks = claims().drawbacks_in(graph);
  return outline;
}

Result<std::string> XlaLibrary::compile(const library::PlanText& plan) {
  FL_TRY(const Program program, plugin_->compile(plan.program, library::threads_of(plan.config)));
  return program.serialized();
}

Result<std::unique_ptr<library::HostPlan>> XlaLibrary::build(const library::PlanText& plan) {
  const int threads = library::threads_of(plan.config);
  FL_TRY(Program program, plugin_->load_program(plan.program, threads));
  FL_TRY(const std::size_t results, program.output_count());
  if (const std::size_t wanted = plan.graph.outputs().size(); results != wanted) {
    return Error{ErrorCode::kUnsupported,
                 "XLA's program has " + std::to_string(results) + " results, its graph " + std::to_string(wanted)};
  }
  return std::unique_ptr<library::HostPlan>(std::make_unique<XlaPlan>(plugin_, std::move(program), plan.graph, threads));
}

BackendCapabilities XlaLibrary::capabilities() {
  BackendCapabilities capabilities;
  capabilities.patterns = {
      "Single",        "ElementWise", "ReductionThenElementWise", "ConvActivation", "ConvBatchNorm", "LinearActivation",
      "Normalization", "Softmax",     "RotaryEmbedding",          "SwiGLU",         "ResidualNorm",  "Attention",
      "Mixed",         "WholeModel"};
  capabilities.dtypes = {DType::kF32};
  capabilities.operators = claims().operators();
  capabilities.fusion.takes_prologue = true;  // XLA cuts the program itself
  capabilities.supports_autotuning = true;
  capabilities.supports_profiling = true;
  capabilities.supports_jit = true;
  capabilities.supports_binary_cache = true;
  return capabilities;
}

}  // namespace fuselab::xla
