// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab::onnx_model {

// The numbers of one input that the model has as an initializer instead; empty: it stays an input.
using Weights = std::vector<std::span<const std::byte>>;

// Returns the name of a graph's input or output in the model: "i0", "o0".
std::string input_name(std::size_t position);
std::string output_name(std::size_t position);

// ONNX's number of an element type (TensorProto.DataType).
int type_number(DType dtype);

// Returns a concrete graph as an ONNX model, byte for byte the same for the same graph: an operator a node, at the least version of
// the operator set that has all of them. `weights`: one for each input, or none at all. Follows onnx.proto of ONNX 1.16. Fails with
// kUnsupported for a graph that has no form in ONNX.
Result<std::string> write_onnx(const Graph& graph, const Weights& weights = {});

}  // namespace fuselab::onnx_model
