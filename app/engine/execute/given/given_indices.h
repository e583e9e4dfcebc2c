// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "app/engine/execute/given/given_tensors.h"

namespace fuselab::engine {

// Looks through an input's numbers, packed, where operators read them as indices or divide whole numbers by them.
// Fails with kInvalidArgument, naming the input, an index that is out of range, its place and what it may be; or a 0 that divides.
Status check_indices(const Graph& graph, ValueId input, std::span<const std::byte> bytes);

// Looks through all that is given for the runs of a concrete graph, and through what the model's file holds.
Status check_given_indices(const Graph& graph, const GivenTensors& given, const GivenNumbers& numbers,
                           const WeightNumbers& weights);

}  // namespace fuselab::engine
