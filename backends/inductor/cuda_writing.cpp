// SPDX-License-Identifier: Apache-2.0
#include "backends/inductor/cuda_writing.h"

#include <tuple>

#include "backends/inductor/cuda_answer.h"
#include "backends/inductor/cuda_device.h"
#include "backends/inductor/plan_json.h"
#include "backends/library/plan_provider.h"
#include "backends/library/plan_text.h"
#include "backends/torch/claims.h"

namespace fuselab::inductor {
namespace {

using nlohmann::json;

constexpr std::string_view kLanguage = "inductor-calls";
constexpr std::string_view kCudaFlags =
    "grad=off configuration=first";  // Inductor would time configurations, and nothing can be timed
// The stand-in has names in it that PyTorch does not promise to keep.
constexpr std::string_view kTriedTorch = "2.15.", kTriedTriton = "3.9.";

bool is_cuda(const Target& target) {
  return target.arch == "cuda";
}

Result<std::string> calls_of(const Graph& graph) {
  FL_TRY_VOID(torch::claims().may_hold(graph));
  FL_TRY(const torch::TorchPlan plan, torch::lower(graph));
  return plan_json(graph, plan).dump();
}

}  // namespace

Result<library::LibraryFacts> CudaInductor::asked() {
  python::PythonHelper helper(find_, python::HelperMode::kCompile, limits_);
  FL_TRY(const python::HelperAnswer about, helper.ask({{"do", "inductor.about"}}));
  const std::string torch = python::line_in(about.fields, "torch"), triton = python::line_in(about.fields, "triton");
  if (triton.empty()) {
    return Error{ErrorCode::kUnavailable,
                 "Inductor compiles for CUDA with Triton, which " + helper.python() + " has not: fuselab backends install triton"};
  }
  if (!torch.starts_with(kTriedTorch) || !triton.starts_with(kTriedTriton)) {
    return Error{ErrorCode::kUnavailable, "Inductor was tried without a device with PyTorch 2.15 and Triton 3.9 alone; here are " +
                                              torch + " and " + triton};
  }
  const std::string git = python::line_in(about.fields, "git").substr(0, 12);
  kept_ /= torch + "-" + git + "-" + python::helper_version();  // the processor's models need the same again
  library::LibraryFacts facts;
  facts.id = "inductor";
  facts.name = "PyTorch Inductor";
  facts.version = torch;
  facts.build = "triton " + triton + " " + git + " helper " + python::helper_version();
  facts.flags = kCudaFlags;
  return facts;
}

Result<library::LibraryFacts> CudaInductor::facts(const Target& target) {
  if (const auto device = cuda_device(target); !device.ok()) return device.error();
  if (!facts_) facts_.emplace(asked());
  if (!facts_->ok()) return facts_->error();
  library::LibraryFacts facts = facts_->value();
  facts.settings = target.id;
  return facts;
}

Result<std::string> CudaInductor::write(const Graph& graph, const Target& target) {
  if (!graph.is_concrete()) return invalid_argument("the graph has unbound symbols; bind them with --shape");
  FL_TRY(const library::LibraryFacts known, facts(target));
  FL_TRY(std::string calls, calls_of(graph));
  return library::write_plan(library::plan_for(known, LaunchConfig(), graph, {}, std::move(calls)));
}

Result<KernelBinary> CudaInductor::compile(const std::string& text, const Target& target, const std::stop_token& stop) {
  FL_TRY(const library::LibraryFacts known, facts(target));
  FL_TRY(const library::PlanText plan, library::read_plan(text, known));
  FL_TRY(const std::string written, calls_of(plan.graph));
  if (written != plan.program)
    return Error{ErrorCode::kUntrusted,
                 "the plan's calls are not those that this Fuselab writes for its graph: they are not compiled"};
  FL_TRY(json device, cuda_device(target));
  auto& helper = helpers_.try_emplace(target.id, find_, python::HelperMode::kCompile, limits_).first->second;
  const json request = {
      {"do", "inductor.compile_cuda"}, {"plan", json::parse(written)}, {"kept", kept_.string()}, {"device", std::move(device)}};
  FL_TRY(python::HelperAnswer answer, helper.ask(request, {}, stop));
  if (answer.data.empty()) return Error{ErrorCode::kCorrupt, "the Python helper compiled nothing"};
  KernelBinary binary;
  binary.format = "inductor-cuda";  // the Python text that Inductor wrote, then source and cubin of each kernel
  FL_TRY(binary.metadata, cuda_resources(answer.fields));
  binary.data = std::move(answer.data);
  binary.metadata.insert({{"compiler", known.name}, {"version", known.version + " " + known.build}, {"flags", known.flags}});
  return binary;
}

Support InductorGenerator::supports(const Graph& graph, const Target& target) const {
  if (!is_cuda(target)) return host_.supports(graph, target);
  const auto text = cuda_.write(graph, target);
  return text.ok() ? Support{} : Support::no(text.error().message);
}

ParameterSpace InductorGenerator::space(const Graph& graph, const Target& target) const {
  return is_cuda(target) ? ParameterSpace() : host_.space(graph, target);
}

LaunchConfig InductorGenerator::default_config(const Graph& graph, const Target& target) const {
  return is_cuda(target) ? LaunchConfig() : host_.default_config(graph, target);
}

Result<SourceModule> InductorGenerator::generate(const Graph& graph, const LaunchConfig& config, const Target& target) const {
  if (!is_cuda(target)) return host_.generate(graph, config, target);
  SourceModule module;
  module.language = std::string(kLanguage);
  FL_TRY(module.text, cuda_.write(graph, target));
  module.entry = "call";
  module.generator = std::string(id());
  module.generator_version = std::string(version());
  module.abi = library::plan_abi(graph, module.entry);
  return module;
}

LibraryFingerprint InductorGenerator::library() {
  return dynamic_cast<LibraryProvider&>(host_).library();
}

LibraryFingerprint InductorGenerator::library_for(const Target& target) {
  if (!is_cuda(target)) return library();
  const auto known = cuda_.facts(target);
  return known.ok() ? LibraryFingerprint{known.value().name, known.value().version + " " + known.value().build}
                    : LibraryFingerprint{};
}

Availability InductorCompiler::probe_for(const Target& target) {
  if (!is_cuda(target)) return host_.probe();
  const auto known = cuda_.facts(target);
  return known.ok() ? Availability::available() : Availability::unavailable(known.error().message);
}

CompilerFingerprint InductorCompiler::fingerprint_for(const Target& target) {
  if (!is_cuda(target)) return host_.fingerprint_for(target);
  const auto known = cuda_.facts(target);
  return known.ok() ? CompilerFingerprint{known.value().name, known.value().version + " " + known.value().build}
                    : CompilerFingerprint{};
}

std::string InductorCompiler::flags(const Target& target, OptimizationLevel level) const {
  return is_cuda(target) ? std::string(kCudaFlags) : host_.flags(target, level);
}

Result<KernelBinary> InductorCompiler::compile(const SourceModule& source, const Target& target, OptimizationLevel level,
                                               std::stop_token stop) {
  return is_cuda(target) ? cuda_.compile(source.text, target, stop) : host_.compile(source, target, level, std::move(stop));
}

}  // namespace fuselab::inductor
