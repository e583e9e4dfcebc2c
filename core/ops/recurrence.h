// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/ops/op.h"
#include "core/types/attributes.h"

namespace fuselab {

// A function of a recurrence with its numbers: where ONNX has none for them, 1 and, beside Affine's, 0.
struct Activation {
  enum class Kind {
    kRelu,
    kTanh,
    kSigmoid,
    kAffine,           // alpha·x + beta
    kLeakyRelu,        // alpha·x below 0
    kThresholdedRelu,  // 0 up to alpha
    kScaledTanh,       // alpha·tanh(beta·x)
    kHardSigmoid,      // alpha·x + beta, held between 0 and 1
    kElu,              // alpha·(eˣ − 1) below 0
    kSoftsign,         // x / (1 + |x|)
    kSoftplus,         // ln(1 + eˣ)
  };
  Kind kind = Kind::kTanh;
  double alpha = 0;
  double beta = 0;
};

// Returns how many numbers the activation of this name takes: 0, 1 (alpha) or 2; nothing where ONNX has none of that name.
std::optional<int> numbers_of_activation(std::string_view name);

// What an LSTM, GRU or RNN computes. X is [steps, batch, width], W [directions, gates·hidden, width], R [directions, gates·hidden,
// hidden]; results are Y [steps, directions, batch, hidden], Y_h and, of an LSTM, Y_c [directions, batch, hidden].
struct Recurrence {
  Op op = Op::kLSTM;
  std::vector<bool> backwards;          // by direction: its steps go from the last one to the first
  std::vector<Activation> activations;  // by direction: of an LSTM f, g, h, of a GRU f, g, of an RNN f
  std::optional<std::size_t> bias, lengths, initial_h, initial_c, peepholes;  // operands by number, where they are there
  std::optional<double> clip;                                                 // bounds what goes into every activation
  bool couples_gates = false;        // LSTM: what is forgotten is what the input does not take
  bool linear_before_reset = false;  // GRU

  std::size_t directions() const { return backwards.size(); }
  std::int64_t gates() const { return op == Op::kLSTM ? 4 : op == Op::kGRU ? 3 : 1; }
  std::size_t functions() const { return op == Op::kLSTM ? 3 : op == Op::kGRU ? 2 : 1; }
  const Activation& activation(std::size_t direction, std::size_t which) const {
    return activations[direction * functions() + which];
  }
};

// Reads the attributes; `operands` is how many operands there are.
// Fails with what is wrong with them.
Result<Recurrence> recurrence_of(Op op, const Attributes& attributes, std::size_t operands);

}  // namespace fuselab
