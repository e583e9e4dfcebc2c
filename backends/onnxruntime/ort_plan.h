// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "backends/library/host/host_library.h"
#include "backends/onnx/given_weights.h"
#include "backends/onnxruntime/ort_library.h"

namespace fuselab::onnxruntime {

// A graph as sessions: one, or one for each set of weights that it was bound to. Must be destroyed before its library.
class OrtPlan final : public library::HostPlan {
 public:
  static Result<std::unique_ptr<OrtPlan>> build(std::shared_ptr<OrtLibrary> library, const Graph& graph,
                                                const LaunchConfig& config);

  Result<std::unique_ptr<library::BoundPlan>> bind(const library::Places& places) override;
  std::string remarks() const override;

 private:
  OrtPlan(std::shared_ptr<OrtLibrary> library, const Graph& graph)
      : library_(std::move(library)), graph_(graph), weights_(graph_) {}
  Result<abi::Session*> session_for(const library::Places& places);

  std::shared_ptr<OrtLibrary> library_;
  Graph graph_;
  onnx_model::GivenWeights weights_;
  SessionChoices choices_;
  bool holds_weights_ = false;
  std::map<onnx_model::GivenWeights::Key, SessionHandle> sessions_;
};

}  // namespace fuselab::onnxruntime
