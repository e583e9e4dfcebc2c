// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "backends/torch/torch_library.h"

namespace fuselab::inductor {

// The functions of a compiled model (PyTorch: torch/csrc/inductor/aoti_runtime/interface.h).
struct ModelFunctions {
  using Container = void*;
  torch::abi::Code (*create)(Container* made, std::size_t models, const char* device, const char* folder);
  torch::abi::Code (*destroy)(Container);
  torch::abi::Code (*count_inputs)(Container, std::size_t* count);
  torch::abi::Code (*count_outputs)(Container, std::size_t* count);
  // Takes the handles of inputs; those of outputs are the caller's.
  torch::abi::Code (*run)(Container, torch::abi::Handle* inputs, std::size_t input_count, torch::abi::Handle* outputs,
                          std::size_t output_count, void* stream, void* proxy);
  torch::abi::Code (*last_error)(const char** words);  // null in older models
};

// A model that Inductor compiled, loaded. The tensors that it writes are inputs, too: results lie where they are asked for, without
// a copy of the caller's. Must be destroyed before its library. Used by one thread.
class InductorModel final : public library::HostPlan {
 public:
  // Fails with kUnsupported where the bytes are no model, or one that takes other tensors than the graph has.
  static Result<std::unique_ptr<library::HostPlan>> load(std::shared_ptr<torch::TorchLibrary> library, std::string_view code,
                                                         const Graph& graph);
  ~InductorModel() override;
  InductorModel(const InductorModel&) = delete;
  InductorModel& operator=(const InductorModel&) = delete;

  Result<std::unique_ptr<library::BoundPlan>> bind(const library::Places& places) override;

  // For bound plans.
  Status run(std::span<torch::abi::Handle> inputs) const;
  torch::TorchLibrary& library() const { return *library_; }

 private:
  InductorModel(std::shared_ptr<torch::TorchLibrary> library, Graph graph)
      : library_(std::move(library)), graph_(std::move(graph)) {}
  Status check(torch::abi::Code code, const std::string& what) const;
  Status start();

  std::shared_ptr<torch::TorchLibrary> library_;
  Graph graph_;
  ModelFunctions functions_{};
  ModelFunctions::Container container_ = nullptr;
};

// Removes what killed processes left in the temporary folder.
void sweep_models();

}  // namespace fuselab::inductor
