// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "core/fusion/match/graph_index.h"

namespace fuselab {

// Operators of a graph that together are one operator, as ONNX defines it: the inputs of that operator, and the value that it
// makes.
struct WrittenOut {
  Op op = Op::kIdentity;
  std::vector<ValueId> inputs;
  Attributes attributes;
  ValueId result{};
  std::vector<NodeId> nodes;  // in no order
};

// Each finder is called for every node and returns matches at one node only, which occurs once in the operator: all possible
// readings, the largest first. Finders do not check that values in between have no other readers, nor that the types fit;
// recompose() does.
using WrittenOutFinder = std::vector<WrittenOut> (*)(const GraphIndex&, NodeId);

// Finds Greater(a, b) or Equal(a, b), and the same with Less. Called for Or.
std::vector<WrittenOut> find_written_out_comparison(const GraphIndex& index, NodeId either);
// Finds Softmax and LogSoftmax, less the largest element, along one axis that is not the last. Called for the sum of the powers.
// Along the last axis the nodes are fused into one kernel as they stand.
std::vector<WrittenOut> find_written_out_softmax(const GraphIndex& index, NodeId sum);
// Finds RMSNormalization and LayerNormalization with a scale over several of the last axes. Called for the mean of the squares.
std::vector<WrittenOut> find_written_out_norm(const GraphIndex& index, NodeId mean);
// Finds RotaryEmbedding, with positions or without. Called for the difference of two products.
std::vector<WrittenOut> find_written_out_rotary(const GraphIndex& index, NodeId difference);
// Finds Clip (as Max or Min where a bound is computed) and LeakyRelu written as choices by a comparison. Called for Where.
std::vector<WrittenOut> find_written_out_choice(const GraphIndex& index, NodeId where);
// Finds NegativeLogLikelihoodLoss, with or without weights, an ignored label and a reduction. Called for the GatherElements.
std::vector<WrittenOut> find_written_out_loss(const GraphIndex& index, NodeId gather);
// Finds NegativeLogLikelihoodLoss of a LogSoftmax over the classes, which is an operator or written out itself; the places may form
// one axis behind the classes where ONNX defines it so. Called for the loss.
std::vector<WrittenOut> find_written_out_cross_entropy(const GraphIndex& index, NodeId loss);

// A LogSoftmax, as an operator or written out, that makes a value.
struct LogSoftmax {
  ValueId input{};
  std::int64_t axis = 0;  // counted from the front
  std::vector<NodeId> nodes;
};
std::optional<LogSoftmax> log_softmax_that_makes(const GraphIndex& index, ValueId value);

// Returns the axis that an attribute names, counted from the front; `otherwise` is counted as the attribute counts.
std::int64_t axis_of(const GraphIndex& index, NodeId id, std::int64_t otherwise);
// Returns true when a node's `axes` are this one alone; `rank` is that of the tensor that they refer to.
bool has_only_axis(const GraphIndex& index, NodeId id, std::int64_t axis, std::size_t rank);
// Returns a constant's number as a person would write it (as_written.h); nothing when it is infinite, NaN, or a whole number beyond
// what a double holds exactly.
std::optional<double> written_constant(const GraphIndex& index, ValueId value);
// Returns the only reader of a value when it is of this operator.
std::optional<NodeId> only_read_by(const GraphIndex& index, ValueId value, Op op);

}  // namespace fuselab
