// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace fuselab {

// Operators, named and behaving as in ONNX. Deviations, all made by the importer:
//   Constant      is a scalar immediate of shape []: attribute `value` (real or integer), `dtype` ("f32" when absent);
//   Cast          names its target: to="f16" (the ONNX number is accepted and canonicalised);
//   CumSum        takes its `axis`, Trilu its `k`, Pad its `pads` of all axes and its `value` as attributes;
//   TopK          takes its `k` as an attribute and is always sorted; it has both results;
//   Clip          takes `min` and `max` as real attributes, each absent: no bound;
//   Reshape, Expand, Slice, Split, Reduce*, Unsqueeze, Squeeze take `shape`, `starts`/`ends`/`axes`/`steps`, `split` or
//                 `num_outputs`, `axes` as attributes;
//   Conv, pools   know `auto_pad` NOTSET and VALID only (SAME_* becomes `pads`);
//   Attention     is Q, K, V and an optional mask, one output; optional second outputs of other operators do not exist;
//   LSTM, GRU, RNN name the optional operands that they have, in order, as `operands` ("B initial_h"), have layout 0 and all
//                 their results; `activations` gives each function with its numbers behind it ("LeakyRelu:0.02 Tanh");
//   OwnKernel     is a kernel that the user wrote (own_kernel.h): `definition`, `source` and `reference` as texts;
//   Swish is ONNX Swish-24 with alpha (SiLU = alpha 1); Opaque is a barrier that is never computed.
enum class Op {
  // element-wise, one input
  kIdentity,
  kNeg,
  kAbs,
  kExp,
  kLog,
  kSqrt,
  kReciprocal,
  kErf,
  kTanh,
  kSigmoid,
  kRelu,
  kLeakyRelu,
  kGelu,
  kSwish,
  kClip,
  kCast,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kAsinh,
  kAcosh,
  kAtanh,
  kFloor,
  kCeil,
  kRound,
  kSign,
  kIsNaN,
  kIsInf,
  kShrink,
  kThresholdedRelu,
  // element-wise, several inputs with numpy broadcasting
  kAdd,
  kSub,
  kMul,
  kDiv,
  kPow,
  kMin,
  kMax,
  kWhere,
  kBitwiseAnd,
  kEqual,
  kLess,
  kGreater,
  kLessOrEqual,
  kGreaterOrEqual,
  kAnd,
  kOr,
  kXor,
  kNot,
  kMod,
  // reductions and row operators
  kReduceSum,
  kReduceMean,
  kReduceMax,
  kReduceProd,
  kArgMax,
  kArgMin,
  kCumSum,
  kSoftmax,
  kLogSoftmax,
  kHardmax,
  kTopK,
  kLayerNormalization,
  kRMSNormalization,
  kSoftmaxCrossEntropyLoss,
  kNegativeLogLikelihoodLoss,
  // contractions
  kMatMul,
  kGemm,
  kConv,
  kAttention,
  // recurrences
  kLSTM,
  kGRU,
  kRNN,
  // per-channel and windows
  kBatchNormalization,
  kMaxPool,
  kAveragePool,
  kGlobalAveragePool,
  // positions
  kRotaryEmbedding,
  // movement
  kTranspose,
  kReshape,
  kFlatten,
  kUnsqueeze,
  kSqueeze,
  kExpand,
  kConcat,
  kSlice,
  kSplit,
  kGather,
  kTrilu,
  kPad,
  kGatherElements,
  kGatherND,
  kScatterElements,
  kScatterND,
  // leaves and barriers
  kConstant,
  kOwnKernel,
  kOpaque,
};

// One past the last operator.
inline constexpr Op kEndOfOps = static_cast<Op>(static_cast<int>(Op::kOpaque) + 1);

// An operator's pattern of memory access, which fusion decides by (C17, C23).
enum class AccessPattern { kElementWise, kReduction, kContraction, kSpatial, kMovement, kGather, kLeaf, kOpaque };

struct OpInfo {
  Op op = Op::kIdentity;
  std::string_view name;  // the ONNX operator name
  AccessPattern access = AccessPattern::kElementWise;
  int min_inputs = 1;
  int max_inputs = 1;  // -1: unlimited
  // FLOPs per output element of an element-wise operator, or per input element of a row operator. A multiplication, an addition and
  // a transcendental count one each, which is the analytic convention of profilers. Compound operators count what their shortest
  // textbook form takes: Sigmoid = negate, exp, add, divide; Softmax = max, subtract, exp, sum, divide; LayerNormalization = sum,
  // centre, square, sum, scale, weight, bias. 0 where the operator has a formula of its own, or computes nothing.
  double flops_per_element = 0;
};

// What the numbers of an operand are for an operator: random inputs are chosen by it.
enum class OperandRole { kValue, kWeight, kGain, kDivisor, kMask, kPositive };

// Returns every operator that computes something: all but Constant and Opaque, in the order of Op.
std::span<const Op> computed_ops();

const OpInfo& info_of(Op op);
OperandRole role_of(Op op, std::size_t operand);
// Returns the number of simple operations (an addition of two registers' elements is one) that an element-wise operator, or a batch
// normalisation, takes for each element in a generated kernel. It is the price of computing the operator once more, whereas
// flops_per_element is what a kernel is credited with. The weights come from kernels measured on one machine, see
// resources/docs/fusion.md.
double op_weight(Op op);
std::string_view name_of(Op op);
std::optional<Op> parse_op(std::string_view onnx_name);
bool is_elementwise(Op op);
bool is_comparison(Op op);  // Equal … GreaterOrEqual: numbers to bool
bool is_logic(Op op);       // And … Not: bool to bool

// Returns true for operators that go through their steps one after the other, each with the state that the one before left.
constexpr bool is_recurrence(Op op) {
  return op == Op::kLSTM || op == Op::kGRU || op == Op::kRNN;
}

// Returns true for operators that only give memory another shape: no kernel runs for them and nothing moves.
constexpr bool is_view(Op op) {
  return op == Op::kIdentity || op == Op::kReshape || op == Op::kFlatten || op == Op::kUnsqueeze || op == Op::kSqueeze;
}

}  // namespace fuselab
