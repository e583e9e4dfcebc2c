// SPDX-License-Identifier: Apache-2.0
#include "backends/onednn/onednn_graphs.h"

#include <algorithm>

#include "backends/library/capabilities.h"
#include "backends/onednn/built_plan.h"
#include "backends/onednn/claims.h"

namespace fuselab::onednn {
namespace {

// Returns whether the library multiplies matrices of this type by more than its reference path.
bool multiplies(const OneDnnLibrary& library, DType dtype) {
  PrimitiveSpec spec;
  spec.kind = PrimitiveKind::kMatMul;
  spec.source = {0, row_major(dtype, {64, 64})};
  spec.weights = spec.source;
  spec.destination = spec.source;
  const auto implementation = ask(library)(spec);
  return implementation.ok() && !is_reference_path(implementation.value());
}

std::string words_of(const PrimitiveSpec& spec) {
  std::string text = std::string(name_of(spec.kind)) + " covers " + spec.covers;
  return spec.why_apart.empty() ? text : text + "; apart, because it " + spec.why_apart;
}

}  // namespace

Result<std::shared_ptr<library::HostLibrary>> OneDnnGraphs::open(const loading::Surroundings& surroundings) {
  FL_TRY(std::shared_ptr<OneDnnLibrary> library, OneDnnLibrary::open(surroundings));
  return std::shared_ptr<library::HostLibrary>(std::make_shared<OneDnnGraphs>(std::move(library)));
}

// Strict arithmetic: what the library would gain by rounding f32 operands to bf16 lies outside f32's tolerance.
OneDnnGraphs::OneDnnGraphs(std::shared_ptr<OneDnnLibrary> library)
    : library_(std::move(library)), facts_{"onednn",         "oneDNN",        library_->version(),     library_->hash(),
                                           library_->path(), library_->isa(), library_->team().name(), library_->team().most(),
                                           "fpmath=strict"} {}

std::optional<int> OneDnnGraphs::caller_cpu() const {
  const host::OmpTeam& team = library_->team();
  return team.pins() ? std::optional(team.cpus().front()) : std::nullopt;
}

Result<library::PlanOutline> OneDnnGraphs::outline(const Graph& graph) {
  FL_TRY_VOID(use_threads(facts_.most_threads));
  FL_TRY(const PrimitivePlan plan, lower(graph, ask(*library_)));
  const auto any = [&plan](auto has) { return std::ranges::any_of(plan.primitives, has); };
  library::PlanOutline outline;
  outline.parameters.push_back({"primitives",
                                "oneDNN primitives that cover the piece; all but the first could not become post-ops",
                                {static_cast<std::int64_t>(plan.primitives.size())}});
  if (any([](const PrimitiveSpec& each) { return each.constant_weights; })) {
    outline.parameters.push_back(
        {"weights", "packed: constant weights lie as the library likes, laid out ahead of what is timed", {"plain", "packed"}});
  }
  if (any([](const PrimitiveSpec& each) { return each.kind == PrimitiveKind::kConvolution; })) {
    outline.parameters.push_back(
        {"activations", "blocked: they lie as the library likes, laid out anew in every launch", {"plain", "blocked"}});
  }
  if (std::ranges::any_of(plan.implementations, is_reference_path)) {
    outline.parameters.push_back(
        {"path", "reference: the library has nothing faster than its reference code for one of the primitives", {"reference"}});
  }
  outline.parameters.push_back(
      {"scratch", "whose memory a primitive works in: the library's, or one that was made once for it", {"library", "own"}});
  for (const PrimitiveSpec& each : plan.primitives) outline.steps.push_back(words_of(each));
  outline.program = program_of(plan.implementations);
  outline.drawbacks = kClaims.drawbacks_in(graph);
  return outline;
}

Result<std::string> OneDnnGraphs::compile(const library::PlanText& text) {
  FL_TRY_VOID(use_threads(library::threads_of(text.config)));
  FL_TRY(const PrimitivePlan plan, lower(text.graph, ask(*library_)));
  std::vector<std::string> implementations;
  for (const PrimitiveSpec& each : plan.primitives) {
    FL_TRY(const DescribedPrimitive described, DescribedPrimitive::describe(*library_, each, choices_of(text.config)));
    implementations.push_back(described.implementation());
  }
  return program_of(implementations);
}

Result<std::unique_ptr<library::HostPlan>> OneDnnGraphs::build(const library::PlanText& plan) {
  return BuiltPlan::build(library_, plan);
}

BackendCapabilities OneDnnGraphs::capabilities() {
  std::vector<DType> dtypes = {DType::kF32};
  for (const DType dtype : {DType::kF16, DType::kBF16}) {
    if (multiplies(*library_, dtype)) dtypes.push_back(dtype);
  }
  return library::capabilities_of(
      {"Single", "ElementWise", "ReductionThenElementWise", "ConvActivation", "ConvBatchNorm", "LinearActivation", "Normalization"},
      std::move(dtypes), kClaims.operators());
}

}  // namespace fuselab::onednn
