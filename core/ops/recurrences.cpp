// SPDX-License-Identifier: Apache-2.0
#include "core/ops/recurrence.h"

#include "core/ops/infer.h"
#include "core/ops/op_row.h"

namespace fuselab::ops {
namespace {

using enum AccessPattern;
using enum AttributeKind;
using enum OperandRole;

// The extents of one operand must be these.
Status require_shape(const Call& call, std::optional<std::size_t> operand, std::string_view name, const Shape& wanted) {
  if (!operand || call.shape(*operand) == wanted) return Status();
  return failure(call, std::string(name) + " must be " + shape_text(wanted) + ", got " + shape_text(call.shape(*operand)));
}

// What `parts` of this extent take together. A file's numbers may be more than is counted.
Result<Dim> several(const Call& call, std::int64_t parts, const Dim& each) {
  const auto count = product(Shape{Dim(parts), each});
  if (!count) return failure(call, std::to_string(parts) + " times " + each.text() + " is no extent");
  return *count;
}

Result<Types> recurrence(const Call& call) {
  FL_TRY_VOID(require_floating(call));
  const auto read = recurrence_of(call.op, call.attributes, call.inputs.size());
  if (!read.ok()) return failure(call, read.error().message);
  const Recurrence& recurrence = read.value();
  for (std::size_t i = 1; i < call.inputs.size(); ++i) {
    const bool is_lengths = i == recurrence.lengths;
    if (is_lengths && call.dtype(i) != DType::kI32) return failure(call, "sequence_lens must be i32");
    if (!is_lengths && call.dtype(i) != call.dtype()) return failure(call, "operands must have one element type");
  }
  if (call.rank(0) != 3 || call.rank(1) != 3 || call.rank(2) != 3) return failure(call, "X, W and R must have rank 3");
  const Dim steps = call.shape(0)[0], batch = call.shape(0)[1], width = call.shape(0)[2], hidden = call.shape(2)[2];
  const Dim directions(static_cast<std::int64_t>(recurrence.directions()));
  if (hidden.is_symbol()) return failure(call, "its hidden extent must be a number");
  FL_TRY(const Dim rows, several(call, recurrence.gates(), hidden));
  FL_TRY(const Dim biases, several(call, 2 * recurrence.gates(), hidden));
  FL_TRY(const Dim peeps, several(call, 3, hidden));
  const Shape state = {directions, batch, hidden};
  FL_TRY_VOID(require_shape(call, 1, "W", {directions, rows, width}));
  FL_TRY_VOID(require_shape(call, 2, "R", {directions, rows, hidden}));
  FL_TRY_VOID(require_shape(call, recurrence.bias, "B", {directions, biases}));
  FL_TRY_VOID(require_shape(call, recurrence.lengths, "sequence_lens", {batch}));
  FL_TRY_VOID(require_shape(call, recurrence.initial_h, "initial_h", state));
  FL_TRY_VOID(require_shape(call, recurrence.initial_c, "initial_c", state));
  FL_TRY_VOID(require_shape(call, recurrence.peepholes, "P", {directions, peeps}));
  Types results = {{call.dtype(), {steps, directions, batch, hidden}}, {call.dtype(), state}};
  if (call.op == Op::kLSTM) results.push_back({call.dtype(), state});
  return results;
}

Schema recurrence_attributes(const char* activations, const Schema& own) {
  Schema all = {text("direction", "forward"), text("activations", activations), text("operands", ""), optional("clip", kReal)};
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

// Each step's products with W and R, and what joins the gates' parts; an activation counts as a Sigmoid does.
double flops_of_gates(const Call& call, const TensorType& result, double gates, double functions, double joining) {
  const double inner = static_cast<double>(call.shape(0)[2].extent() + call.shape(2)[2].extent());
  return elements(result) * (2 * gates * inner + 2 * gates + info_of(Op::kSigmoid).flops_per_element * functions + joining);
}

double lstm_flops(const Call& call, const TensorType& result) {
  return flops_of_gates(call, result, 4, 5, 4);
}

double gru_flops(const Call& call, const TensorType& result) {
  return flops_of_gates(call, result, 3, 3, 5);
}

double rnn_flops(const Call& call, const TensorType& result) {
  return flops_of_gates(call, result, 1, 1, 0);
}

}  // namespace

constexpr Family<Op::kLSTM, Op::kBatchNormalization> kRecurrences({
    // {name, access, least and most operands, FLOPs}, types, weight, attributes, FLOPs by formula, roles of operands
    {{Op::kLSTM, "LSTM", kContraction, 3, 8, 0},
     recurrence,
     16,
     [] { return recurrence_attributes("Sigmoid Tanh Tanh", {integer("input_forget", 0)}); },
     lstm_flops,
     {kValue, kWeight, kWeight}},
    {{Op::kGRU, "GRU", kContraction, 3, 6, 0},
     recurrence,
     16,
     [] { return recurrence_attributes("Sigmoid Tanh", {integer("linear_before_reset", 0)}); },
     gru_flops,
     {kValue, kWeight, kWeight}},
    {{Op::kRNN, "RNN", kContraction, 3, 6, 0},
     recurrence,
     16,
     [] { return recurrence_attributes("Tanh", {}); },
     rnn_flops,
     {kValue, kWeight, kWeight}},
});

}  // namespace fuselab::ops
