// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "backends/library/host/host_library.h"
#include "backends/xla/library/pjrt_library.h"

namespace fuselab::xla {

// Fails with kUnsupported where XLA is not asked for a graph: an operator that is not claimed, an element type, an empty tensor.
Status may_compute(const Graph& graph);

// XLA's plugin for the processor as a library of graphs: each is written as StableHLO, whole, and XLA decides itself what it fuses.
// What it serialises is stored; it is machine code, so that the settings name the instructions that it may use here. Used by one
// thread.
class XlaLibrary final : public library::HostLibrary {
 public:
  // Fails as PjrtLibrary::open().
  static Result<std::shared_ptr<library::HostLibrary>> open(const loading::Surroundings& surroundings);
  explicit XlaLibrary(std::shared_ptr<PjrtLibrary> plugin);

  const library::LibraryFacts& facts() const override { return facts_; }
  BackendCapabilities capabilities() override;
  Result<library::PlanOutline> outline(const Graph& graph) override;
  Result<std::string> compile(const library::PlanText& plan) override;
  Result<std::unique_ptr<library::HostPlan>> build(const library::PlanText& plan) override;
  // Each plan has a client with threads of its own, beside which the caller computes.
  Status use_threads(int threads) override {
    plugin_->hold_to(threads);
    return {};
  }
  std::optional<int> caller_cpu() const override { return std::nullopt; }
  void settle(int) override {}

 private:
  std::shared_ptr<PjrtLibrary> plugin_;
  library::LibraryFacts facts_;
};

}  // namespace fuselab::xla
