// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/onednn/library/primitive_spec.h"
#include "backends/onednn/onednn_stack.h"
#include "core/backend/backend.h"
#include "core/backend/library_provider.h"

namespace fuselab::onednn {

// Returns the primitives that compute a graph: one where everything behind the first can be a post-op, more where not; their number
// is a parameter of the launch configuration. Used by one thread.
class OneDnnProvider final : public CodeGenerator, public LibraryProvider {
 public:
  explicit OneDnnProvider(OneDnnStack& stack) : stack_(stack) {}

  std::string_view id() const override { return "onednn-plan"; }
  std::string_view version() const override { return "1"; }
  Support supports(const Graph& graph, const Target& target) const override;
  ParameterSpace space(const Graph& graph, const Target& target) const override;
  LaunchConfig default_config(const Graph& graph, const Target& target) const override;
  Result<SourceModule> generate(const Graph& graph, const LaunchConfig& config, const Target& target) const override;

  LibraryFingerprint library() override;

 private:
  Result<const PrimitivePlan*> plan_for(const Graph& graph, const Target& target) const;

  OneDnnStack& stack_;
  mutable std::string lowered_;  // the text of the graph that was asked for last, since it is asked for several times in a row
  mutable PrimitivePlan plan_;
};

// Has the library make the primitives of a plan. The plan is what is stored.
class OneDnnCompiler final : public Compiler {
 public:
  explicit OneDnnCompiler(OneDnnStack& stack) : stack_(stack) {}

  Availability probe() override;
  CompilerFingerprint fingerprint() override;
  std::string flags(const Target& target, OptimizationLevel level) const override;
  Result<KernelBinary> compile(const SourceModule& source, const Target& target, OptimizationLevel level,
                               std::stop_token stop) override;

 private:
  OneDnnStack& stack_;
};

inline constexpr std::string_view kPlanFormat = "onednn-plan";

}  // namespace fuselab::onednn
