// SPDX-License-Identifier: Apache-2.0
#include "core/graph/op.h"

#include "core/base/assert.h"

namespace fuselab {
namespace {

using enum AccessPattern;

// FLOPs of compound operators are what their shortest textbook form takes per element: Sigmoid = negate, exp, add,
// divide; Softmax = max, subtract, exp, sum, divide; LayerNormalization = sum, centre, square, sum, scale, weight, bias.
constexpr OpInfo kOps[] = {
    {Op::kIdentity, "Identity", kElementWise, 1, 1, 0},
    {Op::kNeg, "Neg", kElementWise, 1, 1, 1},
    {Op::kAbs, "Abs", kElementWise, 1, 1, 1},
    {Op::kExp, "Exp", kElementWise, 1, 1, 1},
    {Op::kLog, "Log", kElementWise, 1, 1, 1},
    {Op::kSqrt, "Sqrt", kElementWise, 1, 1, 1},
    {Op::kReciprocal, "Reciprocal", kElementWise, 1, 1, 1},
    {Op::kErf, "Erf", kElementWise, 1, 1, 1},
    {Op::kTanh, "Tanh", kElementWise, 1, 1, 1},
    {Op::kSigmoid, "Sigmoid", kElementWise, 1, 1, 4},
    {Op::kRelu, "Relu", kElementWise, 1, 1, 1},
    {Op::kLeakyRelu, "LeakyRelu", kElementWise, 1, 1, 2},
    {Op::kGelu, "Gelu", kElementWise, 1, 1, 0},
    {Op::kSwish, "Swish", kElementWise, 1, 1, 5},
    {Op::kClip, "Clip", kElementWise, 1, 1, 2},
    {Op::kCast, "Cast", kElementWise, 1, 1, 0},
    {Op::kSin, "Sin", kElementWise, 1, 1, 1},
    {Op::kCos, "Cos", kElementWise, 1, 1, 1},
    {Op::kTan, "Tan", kElementWise, 1, 1, 1},
    {Op::kAsin, "Asin", kElementWise, 1, 1, 1},
    {Op::kAcos, "Acos", kElementWise, 1, 1, 1},
    {Op::kAtan, "Atan", kElementWise, 1, 1, 1},
    {Op::kSinh, "Sinh", kElementWise, 1, 1, 1},
    {Op::kCosh, "Cosh", kElementWise, 1, 1, 1},
    {Op::kAsinh, "Asinh", kElementWise, 1, 1, 1},
    {Op::kAcosh, "Acosh", kElementWise, 1, 1, 1},
    {Op::kAtanh, "Atanh", kElementWise, 1, 1, 1},
    {Op::kFloor, "Floor", kElementWise, 1, 1, 1},
    {Op::kCeil, "Ceil", kElementWise, 1, 1, 1},
    {Op::kRound, "Round", kElementWise, 1, 1, 1},
    {Op::kSign, "Sign", kElementWise, 1, 1, 1},
    {Op::kIsNaN, "IsNaN", kElementWise, 1, 1, 1},
    {Op::kIsInf, "IsInf", kElementWise, 1, 1, 1},
    {Op::kShrink, "Shrink", kElementWise, 1, 1, 2},
    {Op::kThresholdedRelu, "ThresholdedRelu", kElementWise, 1, 1, 1},
    {Op::kAdd, "Add", kElementWise, 2, 2, 1},
    {Op::kSub, "Sub", kElementWise, 2, 2, 1},
    {Op::kMul, "Mul", kElementWise, 2, 2, 1},
    {Op::kDiv, "Div", kElementWise, 2, 2, 1},
    {Op::kPow, "Pow", kElementWise, 2, 2, 1},
    {Op::kMin, "Min", kElementWise, 1, -1, 0},
    {Op::kMax, "Max", kElementWise, 1, -1, 0},
    {Op::kWhere, "Where", kElementWise, 3, 3, 1},
    {Op::kEqual, "Equal", kElementWise, 2, 2, 1},
    {Op::kLess, "Less", kElementWise, 2, 2, 1},
    {Op::kGreater, "Greater", kElementWise, 2, 2, 1},
    {Op::kLessOrEqual, "LessOrEqual", kElementWise, 2, 2, 1},
    {Op::kGreaterOrEqual, "GreaterOrEqual", kElementWise, 2, 2, 1},
    {Op::kAnd, "And", kElementWise, 2, 2, 1},
    {Op::kOr, "Or", kElementWise, 2, 2, 1},
    {Op::kXor, "Xor", kElementWise, 2, 2, 1},
    {Op::kNot, "Not", kElementWise, 1, 1, 1},
    {Op::kMod, "Mod", kElementWise, 2, 2, 1},
    {Op::kReduceSum, "ReduceSum", kReduction, 1, 1, 1},
    {Op::kReduceMean, "ReduceMean", kReduction, 1, 1, 1},
    {Op::kReduceMax, "ReduceMax", kReduction, 1, 1, 1},
    {Op::kReduceProd, "ReduceProd", kReduction, 1, 1, 1},
    {Op::kArgMax, "ArgMax", kReduction, 1, 1, 1},
    {Op::kArgMin, "ArgMin", kReduction, 1, 1, 1},
    {Op::kCumSum, "CumSum", kReduction, 1, 1, 1},
    {Op::kSoftmax, "Softmax", kReduction, 1, 1, 5},
    {Op::kLogSoftmax, "LogSoftmax", kReduction, 1, 1, 5},
    {Op::kHardmax, "Hardmax", kReduction, 1, 1, 1},
    {Op::kTopK, "TopK", kReduction, 1, 1, 1},
    {Op::kLayerNormalization, "LayerNormalization", kReduction, 2, 3, 7},
    {Op::kRMSNormalization, "RMSNormalization", kReduction, 2, 2, 4},
    {Op::kSoftmaxCrossEntropyLoss, "SoftmaxCrossEntropyLoss", kReduction, 2, 3, 5},
    {Op::kNegativeLogLikelihoodLoss, "NegativeLogLikelihoodLoss", kReduction, 2, 3, 0},
    {Op::kMatMul, "MatMul", kContraction, 2, 2, 0},
    {Op::kGemm, "Gemm", kContraction, 2, 3, 0},
    {Op::kConv, "Conv", kContraction, 2, 3, 0},
    {Op::kAttention, "Attention", kContraction, 3, 4, 0},
    {Op::kLSTM, "LSTM", kContraction, 3, 8, 0},
    {Op::kGRU, "GRU", kContraction, 3, 6, 0},
    {Op::kRNN, "RNN", kContraction, 3, 6, 0},
    {Op::kBatchNormalization, "BatchNormalization", kSpatial, 5, 5, 2},
    {Op::kMaxPool, "MaxPool", kSpatial, 1, 1, 0},
    {Op::kAveragePool, "AveragePool", kSpatial, 1, 1, 0},
    {Op::kGlobalAveragePool, "GlobalAveragePool", kReduction, 1, 1, 1},
    {Op::kRotaryEmbedding, "RotaryEmbedding", kSpatial, 3, 4, 3},
    {Op::kTranspose, "Transpose", kMovement, 1, 1, 0},
    {Op::kReshape, "Reshape", kMovement, 1, 1, 0},
    {Op::kFlatten, "Flatten", kMovement, 1, 1, 0},
    {Op::kUnsqueeze, "Unsqueeze", kMovement, 1, 1, 0},
    {Op::kSqueeze, "Squeeze", kMovement, 1, 1, 0},
    {Op::kExpand, "Expand", kMovement, 1, 1, 0},
    {Op::kConcat, "Concat", kMovement, 1, -1, 0},
    {Op::kSlice, "Slice", kMovement, 1, 1, 0},
    {Op::kSplit, "Split", kMovement, 1, 1, 0},
    {Op::kGather, "Gather", kGather, 2, 2, 0},
    {Op::kTrilu, "Trilu", kMovement, 1, 1, 0},
    {Op::kPad, "Pad", kMovement, 1, 1, 0},
    {Op::kGatherElements, "GatherElements", kGather, 2, 2, 0},
    {Op::kGatherND, "GatherND", kGather, 2, 2, 0},
    {Op::kScatterElements, "ScatterElements", kGather, 3, 3, 0},
    {Op::kScatterND, "ScatterND", kGather, 3, 3, 0},
    {Op::kConstant, "Constant", kLeaf, 0, 0, 0},
    {Op::kOpaque, "Opaque", kOpaque, 0, -1, 0},
};

}  // namespace

const OpInfo& info_of(Op op) {
  const OpInfo& found = kOps[static_cast<std::size_t>(op)];
  FL_ASSERT(found.op == op);
  return found;
}

std::string_view name_of(Op op) {
  return info_of(op).name;
}

std::optional<Op> parse_op(std::string_view onnx_name) {
  for (const OpInfo& each : kOps) {
    if (each.name == onnx_name) return each.op;
  }
  return std::nullopt;
}

bool is_elementwise(Op op) {
  return info_of(op).access == kElementWise;
}

bool is_comparison(Op op) {
  return op == Op::kEqual || op == Op::kLess || op == Op::kGreater || op == Op::kLessOrEqual || op == Op::kGreaterOrEqual;
}

bool is_logic(Op op) {
  return op == Op::kAnd || op == Op::kOr || op == Op::kXor || op == Op::kNot;
}

}  // namespace fuselab
