// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "backends/torch/torch_plan.h"
#include "core/graph/graph.h"

namespace fuselab::inductor {

// Writes calls of PyTorch for the Python helper, which makes a function of them. All numbers of a tensor are of elements:
//   inputs, arguments   how many of the places are given: inputs, then outputs
//   tensors             [place, type, extents, strides, offset]; the first one of a place is all of it, row-major
//   numbers             [place, value]: what is written ahead
//   calls               [name, overload, letters, arguments, copied_to]: see torch::Schema; tensors by their number
// Real numbers are hexadecimal texts, since JSON has no infinity.
nlohmann::json plan_json(const Graph& graph, const torch::TorchPlan& plan);

}  // namespace fuselab::inductor
