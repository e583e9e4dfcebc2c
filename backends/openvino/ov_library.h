// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "backends/library/host/host_library.h"
#include "backends/loading/vendor_library.h"
#include "backends/openvino/abi/openvino_abi.h"

namespace fuselab::openvino {

// A model compiled for the processor, freed with the object; it must be freed before its library.
using CompiledHandle = std::unique_ptr<abi::CompiledModel, void (*)(abi::CompiledModel*)>;

// OpenVINO with its plugin for processors, opened. f32 is computed as f32: what the plugin would round to bf16 or f16 is not
// offered. Its threads are TBB's, so many for each compiled model as the configuration says. Stays loaded for the process. Used by
// one thread.
class OvLibrary final : public library::HostLibrary, public std::enable_shared_from_this<OvLibrary> {
 public:
  // Looks for libopenvino_c.so, also as pip's package names it ($FUSELAB_LIB_OPENVINO overrides).
  // Fails with kUnavailable and one line where there is none, one older than 2024, or one without the plugin for processors.
  static Result<std::shared_ptr<OvLibrary>> open(const loading::Surroundings& surroundings);

  const library::LibraryFacts& facts() const override { return facts_; }
  BackendCapabilities capabilities() override;
  Result<library::PlanOutline> outline(const Graph& graph) override;
  Result<std::unique_ptr<library::HostPlan>> build(const library::PlanText& plan) override;
  Status use_threads(int threads) override;
  // The plugin places its threads by the processors that it finds itself allowed to use.
  std::optional<int> caller_cpu() const override { return std::nullopt; }
  void settle(int) override {}

  const abi::Functions& calls() const { return calls_; }
  // Returns success, or an error with the action and the library's words in one line.
  Status check(abi::Code code, const std::string& what) const;
  Result<CompiledHandle> compiled_model(const std::string& model, int threads) const;

 private:
  OvLibrary() = default;

  abi::Functions calls_{};
  abi::Core* core_ = nullptr;
  library::LibraryFacts facts_;
};

}  // namespace fuselab::openvino
