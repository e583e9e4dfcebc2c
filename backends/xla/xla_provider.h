// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/xla/xla_stack.h"
#include "core/backend/backend.h"
#include "core/backend/library_provider.h"

namespace fuselab::xla {

// Writes a graph as StableHLO, whole: XLA decides itself what it fuses. Used by one thread.
class XlaProvider final : public CodeGenerator, public LibraryProvider {
 public:
  explicit XlaProvider(XlaStack& stack) : stack_(stack) {}

  std::string_view id() const override { return "xla-stablehlo"; }
  std::string_view version() const override { return "2"; }
  Support supports(const Graph& graph, const Target& target) const override;
  ParameterSpace space(const Graph& graph, const Target& target) const override;
  LaunchConfig default_config(const Graph& graph, const Target& target) const override;
  Result<SourceModule> generate(const Graph& graph, const LaunchConfig& config, const Target& target) const override;

  LibraryFingerprint library() override;

 private:
  Status check_target(const Target& target) const;

  XlaStack& stack_;
};

// Has XLA compile the text for the number of threads that it names, and keeps what the plugin serialises.
class XlaCompiler final : public Compiler {
 public:
  explicit XlaCompiler(XlaStack& stack) : stack_(stack) {}

  Availability probe() override;
  CompilerFingerprint fingerprint() override;
  std::string flags(const Target& target, OptimizationLevel level) const override;
  Result<KernelBinary> compile(const SourceModule& source, const Target& target, OptimizationLevel level,
                               std::stop_token stop) override;

 private:
  XlaStack& stack_;
};

inline constexpr std::string_view kProgramFormat = "pjrt-program";

}  // namespace fuselab::xla
