// SPDX-License-Identifier: Apache-2.0
#include "backends/xla/xla_writing.h"

#include "backends/library/plan_provider.h"
#include "backends/xla/stablehlo/stablehlo_text.h"
#include "backends/xla/xla_library.h"

namespace fuselab::xla {
namespace {

constexpr std::string_view kLanguage = "stablehlo";
constexpr std::string_view kFlags = "precision=highest";  // of every product: the text says so

CompilerFingerprint fingerprint_of(const TopologyPlugin& plugin) {
  return {plugin.name(), plugin.plugin().interface, plugin.plugin().path};
}

}  // namespace

Support XlaGenerator::supports(const Graph& graph, const Target& target) const {
  const auto kind = plugin_for(target);
  if (!kind) return host_.supports(graph, target);
  const auto& opened = plugins_.of(*kind);
  if (!opened.ok()) return Support::no(opened.error().message);
  if (const Status known = opened.value()->knows(target); !known.ok()) return Support::no(known.error().message);
  if (const Status may = may_compute(graph); !may.ok()) return Support::no(may.error().message);
  const auto text = stablehlo_text(graph);
  return text.ok() ? Support{} : Support::no(text.error().message);
}

ParameterSpace XlaGenerator::space(const Graph& graph, const Target& target) const {
  return plugin_for(target) ? ParameterSpace() : host_.space(graph, target);
}

LaunchConfig XlaGenerator::default_config(const Graph& graph, const Target& target) const {
  return plugin_for(target) ? LaunchConfig() : host_.default_config(graph, target);
}

Result<SourceModule> XlaGenerator::generate(const Graph& graph, const LaunchConfig& config, const Target& target) const {
  if (!plugin_for(target)) return host_.generate(graph, config, target);
  SourceModule module;
  module.language = std::string(kLanguage);
  FL_TRY(module.text, stablehlo_text(graph));
  module.entry = "main";
  module.generator = std::string(id());
  module.generator_version = std::string(version());
  module.abi = library::plan_abi(graph, module.entry);
  return module;
}

LibraryFingerprint XlaGenerator::library() {
  return dynamic_cast<LibraryProvider&>(host_).library();
}

LibraryFingerprint XlaGenerator::library_for(const Target& target) {
  const auto kind = plugin_for(target);
  if (!kind) return library();
  const auto& opened = plugins_.of(*kind);
  if (!opened.ok()) return {};
  const PjrtPlugin& plugin = opened.value()->plugin();
  return {opened.value()->name(), plugin.interface + " " + plugin.build};
}

Availability XlaCompiler::probe() {
  const Availability host = host_.probe();
  return host.usable || plugins_.any() == nullptr ? host : Availability::available();
}

Availability XlaCompiler::probe_for(const Target& target) {
  const auto kind = plugin_for(target);
  if (!kind) return host_.probe();
  const auto& opened = plugins_.of(*kind);
  return opened.ok() ? Availability::available() : Availability::unavailable(opened.error().message);
}

CompilerFingerprint XlaCompiler::fingerprint() {
  if (host_.probe().usable) return host_.fingerprint();
  const TopologyPlugin* const any = plugins_.any();
  return any == nullptr ? CompilerFingerprint{} : fingerprint_of(*any);
}

CompilerFingerprint XlaCompiler::fingerprint_for(const Target& target) {
  const auto kind = plugin_for(target);
  if (!kind) return host_.fingerprint_for(target);
  const auto& opened = plugins_.of(*kind);
  return opened.ok() ? fingerprint_of(*opened.value()) : CompilerFingerprint{};
}

std::string XlaCompiler::flags(const Target& target, OptimizationLevel level) const {
  return plugin_for(target) ? std::string(kFlags) : host_.flags(target, level);
}

Result<KernelBinary> XlaCompiler::compile(const SourceModule& source, const Target& target, OptimizationLevel level,
                                          std::stop_token stop) {
  const auto kind = plugin_for(target);
  if (!kind) return host_.compile(source, target, level, std::move(stop));
  const auto& opened = plugins_.of(*kind);
  if (!opened.ok()) return opened.error();
  if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled before it was compiled"};
  FL_TRY(AheadProgram made, opened.value()->compile(source.text, target));
  KernelBinary binary;
  binary.format = "pjrt-executable";
  const auto* bytes = reinterpret_cast<const std::byte*>(made.serialized.data());
  binary.data.assign(bytes, bytes + made.serialized.size());
  binary.metadata = std::move(made.metadata);
  const CompilerFingerprint who = fingerprint_of(*opened.value());
  binary.metadata.insert({{"compiler", who.id}, {"version", who.version}, {"flags", std::string(kFlags)}});
  return binary;
}

}  // namespace fuselab::xla
