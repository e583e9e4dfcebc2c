// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "backends/library/host/host_library.h"
#include "backends/onnx/given_weights.h"
#include "backends/openvino/ov_library.h"

namespace fuselab::openvino {

// OpenVINO's number of an element type that it keeps as it is; nothing for the others, which it computes as one of these.
std::optional<int> element_type(DType dtype);

// A graph as compiled models: one, or one for each set of weights that it was bound to. Must be destroyed before its library.
class OvPlan final : public library::HostPlan {
 public:
  static Result<std::unique_ptr<OvPlan>> build(std::shared_ptr<OvLibrary> library, const Graph& graph, const LaunchConfig& config);

  Result<std::unique_ptr<library::BoundPlan>> bind(const library::Places& places) override;
  std::string remarks() const override;

 private:
  OvPlan(std::shared_ptr<OvLibrary> library, const Graph& graph) : library_(std::move(library)), graph_(graph), weights_(graph_) {}
  Result<abi::CompiledModel*> compiled_for(const library::Places& places);

  std::shared_ptr<OvLibrary> library_;
  Graph graph_;
  onnx_model::GivenWeights weights_;
  int threads_ = 1;
  bool holds_weights_ = false;
  std::map<onnx_model::GivenWeights::Key, CompiledHandle> compiled_;
};

}  // namespace fuselab::openvino
