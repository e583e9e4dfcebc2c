// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/kernel/drawback.h"

namespace fuselab::library {

// The processors that something was seen on: all, or those with or without some instructions.
enum class SeenOn { kAll, kAvx512, kWithoutVnni };

// An operator that a library computes wrong.
struct OpFinding {
  Op op;
  const char* what;  // was seen, in half a sentence, for people
  SeenOn on = SeenOn::kAll;
  bool (*form)(const Graph&, const Node&) = nullptr;  // the nodes that it is wrong for; null: all
};

// An operator that a library computes with a loss.
struct OpLoss {
  constexpr OpLoss(Op lossy, SeenOn where = SeenOn::kAll) : op(lossy), on(where) {}  // NOLINT(google-explicit-constructor): lists

  Op op;
  SeenOn on;
};

// What trying a library, operator by operator, has shown. Each library's is a table; a list may be empty.
struct Claims {
  std::span<const OpFinding> wrong = {};
  std::span<const OpLoss> loses_nan = {};
  std::span<const OpLoss> loses_precision = {};
  std::span<const Op> asked = {};  // the only operators that the library is asked for; empty: all that it takes
  const char* not_asked = "";      // what is said of the others

  // Returns the operators that a graph may hold on this processor.
  std::vector<Op> operators() const;
  // Returns why a graph may not hold the operator, whatever its form; null: nothing is known against it.
  const char* against(Op op) const;
  // Fails with kUnsupported where the library would take a graph and compute something else, or nothing.
  Status may_hold(const Graph& graph) const;
  // Returns the drawbacks that a kernel of the graph states in its configuration.
  Drawbacks drawbacks_in(const Graph& graph) const;
};

// Fails with kUnsupported where a tensor of a concrete graph has no elements: no library is asked to compute nothing.
Status has_elements(const Graph& graph);

}  // namespace fuselab::library
