// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backends/library/lazy_library.h"
#include "core/backend/backend.h"
#include "core/backend/library_provider.h"

namespace fuselab::library {

// Returns how a plan is called: its inputs, then its outputs.
KernelAbi plan_abi(const Graph& graph, std::string entry);

// Writes plans for a library: the graph, the configuration, and what the library says that it does. Used by one thread.
class PlanProvider final : public CodeGenerator, public LibraryProvider {
 public:
  PlanProvider(std::string id, LazyLibrary& lazy) : id_(std::move(id)), lazy_(lazy) {}

  std::string_view id() const override { return id_; }
  std::string_view version() const override { return "2"; }
  Support supports(const Graph& graph, const Target& target) const override;
  ParameterSpace space(const Graph& graph, const Target& target) const override;
  LaunchConfig default_config(const Graph& graph, const Target& target) const override;
  Result<SourceModule> generate(const Graph& graph, const LaunchConfig& config, const Target& target) const override;

  LibraryFingerprint library() override;

 private:
  Result<const PlanOutline*> outline_for(const Graph& graph, const Target& target) const;

  std::string id_;
  LazyLibrary& lazy_;
  mutable std::string outlined_;  // the text of the graph that was asked for last, since it is asked for several times in a row
  mutable PlanOutline outline_;
};

// Has the library make a plan. The plan's text is what is stored, with its program compiled where it has one.
class PlanCompiler final : public Compiler {
 public:
  explicit PlanCompiler(LazyLibrary& lazy) : lazy_(lazy) {}

  Availability probe() override;
  CompilerFingerprint fingerprint() override;
  std::string flags(const Target& target, OptimizationLevel level) const override;
  Result<KernelBinary> compile(const SourceModule& source, const Target& target, OptimizationLevel level,
                               std::stop_token stop) override;

 private:
  LazyLibrary& lazy_;
};

}  // namespace fuselab::library
