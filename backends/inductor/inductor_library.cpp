// SPDX-License-Identifier: Apache-2.0
#include "backends/inductor/inductor_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <fstream>

#include "backends/host/processor.h"
#include "backends/inductor/inductor_model.h"
#include "backends/inductor/plan_json.h"
#include "backends/library/plan_text.h"
#include "backends/torch/claims.h"
#include "core/base/content_hash.h"

namespace fuselab::inductor {
namespace {

using nlohmann::json;

constexpr std::string_view kFlags = "link_libtorch=off precompile_headers=off grad=off";

// Returns the words that the system has for this processor's instructions: what is compiled here may use any of them.
std::string instructions() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("flags")) return line;
  }
  return {};
}

// Seen with 2.15.0 on AVX-512: its Erf is inexact near 0, in f32 as well. An addition behind it, as in Gelu's formula, hides that.
bool loses_precision(const Graph& graph, const Node& node) {
  if (node.op != Op::kErf) return false;
  const auto readers = graph.consumers(node.outputs.front());
  return graph.is_output(node.outputs.front()) ||
         std::ranges::any_of(readers, [&](const auto& reader) { return graph.node(reader).op != Op::kAdd; });
}

// Models name functions of PyTorch without naming its library. Done in processes that run one alone: PyTorch carries an MKL, whose
// names would take the place of those of an MKL that is opened later.
Status show_to_models(const std::string& path) {
  if (dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL) != nullptr) return {};
  return Error{ErrorCode::kUnavailable, path + " cannot be shown to compiled models: " + dlerror()};
}

}  // namespace

Result<std::shared_ptr<InductorLibrary>> InductorLibrary::open(python::PythonHelper::FindProgram find,
                                                               const std::filesystem::path& kept, python::HelperLimits limits) {
  python::sweep_helpers();
  sweep_models();
  std::shared_ptr<InductorLibrary> library(new InductorLibrary(std::move(find), limits));
  FL_TRY(const python::HelperAnswer about, library->helper_.ask({{"do", "inductor.about"}}));
  const std::string version = python::line_in(about.fields, "torch"), path = python::line_in(about.fields, "library");
  if (version.empty() || path.empty()) return Error{ErrorCode::kCorrupt, "the Python helper does not say which PyTorch it has"};
  FL_TRY(library->torch_, torch::TorchLibrary::open(loading::Surroundings{path, {}}));
  library::LibraryFacts facts = library->torch_->facts();
  IdentityHasher made_by("inductor");
  for (const char* const each : {"torch", "git", "cxx", "python"}) made_by.add(each, python::line_in(about.fields, each));
  made_by.add("helper", python::helper_version()).add("instructions", instructions());
  facts.id = "inductor";
  facts.name = "PyTorch Inductor";
  facts.build +=
      (facts.build.empty() ? "" : " ") + python::line_in(about.fields, "cxx") + " " + made_by.finish().hex().substr(0, 12);
  facts.settings = host::describe_cpu().target.id;
  facts.flags = kFlags;
  library->kept_ = kept / (version + "-" + python::line_in(about.fields, "git").substr(0, 12) + "-" + python::helper_version());
  library->facts_ = std::move(facts);
  return library;
}

Result<library::PlanOutline> InductorLibrary::outline(const Graph& graph) {
  FL_TRY_VOID(torch::claims().may_hold(graph));
  FL_TRY(const torch::TorchPlan plan, torch::lower(graph));
  library::PlanOutline outline;
  outline.program = plan_json(graph, plan).dump();
  outline.drawbacks = torch::drawbacks_in(graph);
  for (const Node& node : graph.nodes()) {
    if (loses_precision(graph, node)) outline.drawbacks.add(Drawback::kPrecisionLoss);
  }
  return outline;
}

Result<std::string> InductorLibrary::compile(const library::PlanText& plan) {
  // A stored plan may be foreign, and its calls could name any operator of PyTorch.
  FL_TRY(const library::PlanOutline written, outline(plan.graph));
  if (written.program != plan.program)
    return Error{ErrorCode::kUntrusted,
                 "the plan's calls are not those that this Fuselab writes for its graph: they are not compiled"};
  json program = json::parse(plan.program, nullptr, false);
  if (!program.is_object()) return Error{ErrorCode::kCorrupt, "the plan holds no calls for Inductor"};
  const json request = {{"do", "inductor.compile"},
                        {"plan", std::move(program)},
                        {"threads", library::threads_of(plan.config)},
                        {"kept", kept_.string()},
                        {"options", json::object()}};
  FL_TRY(const python::HelperAnswer answer, helper_.ask(request));
  if (answer.data.empty()) return Error{ErrorCode::kCorrupt, "the Python helper compiled nothing"};
  const std::string isa = python::line_in(answer.fields, "isa");
  if (isa.empty() || isa.find("INVALID") != std::string::npos)
    return Error{ErrorCode::kCompileFailed, "Inductor found no vector instructions, and its code would be scalar"};
  return std::string(reinterpret_cast<const char*>(answer.data.data()), answer.data.size());
}

Result<std::unique_ptr<library::HostPlan>> InductorLibrary::build(const library::PlanText& plan) {
  FL_TRY_VOID(show_to_models(torch_->facts().path));
  return InductorModel::load(torch_, plan.program, plan.graph);
}

BackendCapabilities InductorLibrary::capabilities() {
  BackendCapabilities capabilities = torch_->capabilities();
  capabilities.patterns = {
      "Single",        "ElementWise", "ReductionThenElementWise", "ConvActivation", "ConvBatchNorm", "LinearActivation",
      "Normalization", "Softmax",     "RotaryEmbedding",          "SwiGLU",         "ResidualNorm",  "Attention",
      "Mixed",         "WholeModel"};
  capabilities.fusion.takes_prologue = true;  // Inductor cuts the graph itself
  capabilities.supports_jit = true;
  capabilities.supports_binary_cache = true;
  return capabilities;
}

}  // namespace fuselab::inductor
