// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/kernel/drawback.h"

namespace fuselab::library {

// What trying an operator in a library has shown.
struct OpFinding {
  Op op;
  const char* what;  // in half a sentence, for people
};

// Returns what is known of an operator; null: nothing is.
const char* finding_of(std::span<const OpFinding> findings, Op op);

// Fails with kUnsupported where a tensor of a concrete graph has no elements: no library is asked to compute nothing.
Status has_elements(const Graph& graph);
// Returns whether a graph holds one of these operators.
bool holds_any(const Graph& graph, std::span<const Op> operators);
// Returns the drawbacks of a graph that may hold these operators.
Drawbacks drawbacks_in(const Graph& graph, std::span<const Op> lose_nan, std::span<const Op> lose_precision = {});

}  // namespace fuselab::library
