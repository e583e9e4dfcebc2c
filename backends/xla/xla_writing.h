// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/xla/topology/topology_plugin.h"
#include "core/backend/backend.h"
#include "core/backend/library_provider.h"

namespace fuselab::xla {

// XLA's generator: what the processor's plugin takes goes to `host`; for targets of the other plugins it writes the same StableHLO,
// without a choice of configurations. Used by one thread.
class XlaGenerator final : public CodeGenerator, public LibraryProvider {
 public:
  // `host` is a LibraryProvider as well.
  XlaGenerator(CodeGenerator& host, TopologyPlugins& plugins) : host_(host), plugins_(plugins) {}

  std::string_view id() const override { return host_.id(); }
  std::string_view version() const override { return host_.version(); }
  Support supports(const Graph& graph, const Target& target) const override;
  ParameterSpace space(const Graph& graph, const Target& target) const override;
  LaunchConfig default_config(const Graph& graph, const Target& target) const override;
  Result<SourceModule> generate(const Graph& graph, const LaunchConfig& config, const Target& target) const override;

  LibraryFingerprint library() override;
  LibraryFingerprint library_for(const Target& target) override;

 private:
  CodeGenerator& host_;
  TopologyPlugins& plugins_;
};

// XLA's compiler: `host` for the processor, a plugin without a device for other targets.
class XlaCompiler final : public Compiler {
 public:
  XlaCompiler(Compiler& host, TopologyPlugins& plugins) : host_(host), plugins_(plugins) {}

  Availability probe() override;
  Availability probe_for(const Target& target) override;
  CompilerFingerprint fingerprint() override;
  CompilerFingerprint fingerprint_for(const Target& target) override;
  std::string flags(const Target& target, OptimizationLevel level) const override;
  Result<KernelBinary> compile(const SourceModule& source, const Target& target, OptimizationLevel level,
                               std::stop_token stop) override;

 private:
  Compiler& host_;
  TopologyPlugins& plugins_;
};

}  // namespace fuselab::xla
