// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "backends/library/host/host_library.h"
#include "backends/onnx/onnx_model.h"

namespace fuselab::onnx_model {

// Parameters that a model may hold as constants, which a runtime then lays out ahead of what is timed.
class GivenWeights {
 public:
  // None where every input is a parameter: a runtime would compute the graph while it reads the model.
  explicit GivenWeights(const Graph& graph);

  bool none() const { return positions_.empty(); }
  bool is_weight(std::size_t position) const;
  // What tells one set of contents from another: where each lies and how often it was written.
  using Key = std::vector<std::pair<const std::byte*, std::uint64_t>>;
  Key key_at(const library::Places& places) const;
  // Their bytes, for write_onnx().
  Weights at(const library::Places& places) const;

 private:
  std::vector<std::size_t> positions_;
  std::vector<std::size_t> bytes_;
  std::size_t inputs_ = 0;
};

}  // namespace fuselab::onnx_model
