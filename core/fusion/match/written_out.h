// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "core/fusion/match/graph_index.h"

namespace fuselab {

// Operators of a graph that together are one operator, as ONNX defines it: what that one would read, and the value that it makes.
struct WrittenOut {
  Op op = Op::kIdentity;
  std::vector<ValueId> inputs;
  Attributes attributes;
  ValueId result{};
  std::vector<NodeId> nodes;  // in no order
};

// Each finder is asked at every node and answers at the one node of its operator that only it has: the readings of it, the largest
// first. What they leave to recompose(): that nobody else reads a value in between, and that the types fit.
using WrittenOutFinder = std::vector<WrittenOut> (*)(const GraphIndex&, NodeId);

// Greater(a, b) or Equal(a, b), and the same of Less. Asked at Or.
std::vector<WrittenOut> find_written_out_comparison(const GraphIndex& index, NodeId either);
// Softmax and LogSoftmax along one axis that is not the last, less their largest element. Asked at the sum of the powers.
// Along the last axis their operators are grown into one kernel as they stand.
std::vector<WrittenOut> find_written_out_softmax(const GraphIndex& index, NodeId sum);
// RMSNormalization and LayerNormalization with a scale over several of the last axes. Asked at the mean of the squares.
std::vector<WrittenOut> find_written_out_norm(const GraphIndex& index, NodeId mean);
// RotaryEmbedding, with positions or without. Asked at the difference of two products.
std::vector<WrittenOut> find_written_out_rotary(const GraphIndex& index, NodeId difference);
// Clip (by Max or Min where a bound is computed) and LeakyRelu as choices by a comparison. Asked at Where.
std::vector<WrittenOut> find_written_out_choice(const GraphIndex& index, NodeId where);
// NegativeLogLikelihoodLoss, with weights, an ignored label and a reduction or without. Asked at the GatherElements.
std::vector<WrittenOut> find_written_out_loss(const GraphIndex& index, NodeId gather);
// NegativeLogLikelihoodLoss of a LogSoftmax over the classes, itself an operator or written out, and with the places as
// one axis behind the classes where ONNX defines it so. Asked at the loss.
std::vector<WrittenOut> find_written_out_cross_entropy(const GraphIndex& index, NodeId loss);

// LogSoftmax, an operator or written out, that makes a value.
struct LogSoftmax {
  ValueId input{};
  std::int64_t axis = 0;  // counted from the front
  std::vector<NodeId> nodes;
};
std::optional<LogSoftmax> log_softmax_that_makes(const GraphIndex& index, ValueId value);

// An axis that an attribute names, counted from the front; `otherwise` as the attribute would have it.
std::int64_t axis_of(const GraphIndex& index, NodeId id, std::int64_t otherwise);
// Whether a node's `axes` are that one alone; `rank`: of what they count in.
bool has_only_axis(const GraphIndex& index, NodeId id, std::int64_t axis, std::size_t rank);
// A constant's number, as a person wrote what a file holds as a float; none where it is infinite, NaN, or a
// whole number beyond what a double holds exactly.
std::optional<double> written_constant(const GraphIndex& index, ValueId value);
// The only reader of a value, when it is of this operator.
std::optional<NodeId> only_read_by(const GraphIndex& index, ValueId value, Op op);

}  // namespace fuselab
