// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace fuselab {

// A graph in which operators that were written out are one node again.
struct Recomposed {
  Graph graph;
  std::vector<std::optional<NodeId>> moved;  // by node of the old graph: where it is now; none: it is part of an operator
  std::vector<std::string> notes;            // for people, one per operator: what is read as it
};

// Exporters and ONNX's own function bodies write operators out. Where fusion makes one kernel of what they write (a norm, a softmax
// along the last axis), nothing is done here, and what fusion gains is measured. Where it cannot, because what is written
// gathers, moves, compares or reduces along other axes (SoftmaxCrossEntropyLoss, NegativeLogLikelihoodLoss, Softmax and LogSoftmax
// along other axes, norms over several axes, RotaryEmbedding, GreaterOrEqual and LessOrEqual, Clip and LeakyRelu as choices), the
// operator is what is fused, compiled and measured, as if the model had it. A value in between that something else reads, or that
// is an output, keeps them as they are, and so does an annotation; a label is taken to be a class or the ignored one, as ONNX
// demands of these operators, and a bound that is computed to be no NaN. Nothing to do: none. Takes time linear in the graph.
std::optional<Recomposed> recompose(const Graph& graph);

}  // namespace fuselab
