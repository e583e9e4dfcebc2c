// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace fuselab {

// A graph in which operators that were written out as several nodes are single nodes again.
struct Recomposed {
  Graph graph;
  // The new node of each node of the old graph, by node of the old graph. None: it became part of an operator.
  std::vector<std::optional<NodeId>> moved;
  std::vector<std::string> notes;  // for people, one per operator: what it is read as
};

// Finds operators that exporters and ONNX's own function bodies write out as several nodes. Written-out operators that fusion makes
// one kernel of (a norm, a softmax along the last axis) are left alone, and the gain of fusing them is measured. Where fusion
// cannot, because the nodes gather, move, compare or reduce along other axes (SoftmaxCrossEntropyLoss, NegativeLogLikelihoodLoss,
// Softmax and LogSoftmax along other axes, norms over several axes, RotaryEmbedding, GreaterOrEqual and LessOrEqual, Clip and
// LeakyRelu as choices), the operator itself is fused, compiled and measured, as if the model had it. The nodes stay as they are
// when a value in between is read elsewhere or is an output, and when one is annotated. A label is taken to be a class or the
// ignored one, as ONNX demands of these operators, and a computed bound is taken not to be NaN. Returns nothing when there is
// nothing to do. Takes time linear in the graph.
std::optional<Recomposed> recompose(const Graph& graph);

}  // namespace fuselab
