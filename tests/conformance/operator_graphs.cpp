// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/operator_graphs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "core/graph/graph_text.h"
#include "core/workloads/workload.h"

namespace fuselab::conformance {
namespace {

// The graphs of one operator; a variant comes as "+Relu|graph(…)".
using Texts = std::vector<std::string>;

// A view alone, and with something that computes behind it where the type has something that cannot overflow.
Texts view_texts(const std::string& shape, const std::string& call, DType dtype) {
  const std::string begin = "graph(i0: T" + shape + ") { v0 = " + call + "; ";
  Texts texts = {begin + "return v0 }"};
  const bool computes = is_floating(dtype) || dtype == DType::kI8 || dtype == DType::kI32 || dtype == DType::kI64;
  if (computes) texts.push_back("+Relu|" + begin + "v1 = Relu(v0); return v1 }");
  return texts;
}

// Whether results exist that every machine agrees on: ONNX defines no arithmetic on 4-bit types and leaves integers that
// leave their range to the implementation.
bool is_defined(Op op, DType dtype) {
  const bool four_bits = dtype == DType::kI4 || dtype == DType::kU4;
  const bool moves = info_of(op).access == AccessPattern::kMovement || op == Op::kIdentity || op == Op::kCast || op == Op::kGather;
  if (four_bits && !moves) return false;
  if (is_unsigned(dtype) && (op == Op::kNeg || op == Op::kSub)) return false;
  if (op == Op::kPow) return is_floating(dtype);
  return true;
}

// What inference says where an operator has no such element type. Any other reason not to be a graph is a mistake in the texts
// below, by which a variant would be lost unseen.
bool is_about_types(const Error& error) {
  constexpr std::string_view kReasons[] = {"needs a floating-point type, got", "needs floating point, i32 or i64, got",
                                           "needs numbers, got bool", "needs bool, got", "of reals needs fmod=1"};
  return std::any_of(std::begin(kReasons), std::end(kReasons),
                     [&](std::string_view reason) { return error.message.find(reason) != std::string::npos; });
}

// Whether a function keeps its tolerance shows only where some of its arguments lie close to what is hard for it.
std::string many_values(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF64 ? "[61,1027]" : "[7,33]";
}

// To each type. What negative numbers become as unsigned ones is not asked: of reals ONNX leaves it open.
Texts cast_texts(DType from) {
  Texts texts;
  for (const DType to : kAllDTypes) {
    if (is_unsigned(to) && !is_unsigned(from) && from != DType::kBool) continue;
    const std::string name(name_of(to));
    texts.push_back("+to_" + name + "|graph(i0: T[7,33]) { v0 = Cast(i0, to=\"" + name + "\"); return v0 }");
  }
  if (from == DType::kI64)
    texts.push_back(
        "+wraps|graph(i0: T[7,33]) { c = Constant(value=1073741825, dtype=\"i64\"); m = Mul(i0, c); v0 = Cast(m, to=\"i32\"); "
        "return v0 }");
  return texts;
}

Texts reduction_texts(const std::string& name, bool of_the_least) {
  Texts texts = {"graph(i0: T[7,33]) { v0 = " + name + "(i0, axes=[-1]); return v0 }",
                 "graph(i0: T[7,33]) { v0 = " + name + "(i0, axes=[1], keepdims=0); return v0 }",
                 "+middle|graph(i0: T[3,7,5]) { v0 = " + name + "(i0, axes=[1]); return v0 }"};
  if (of_the_least)
    texts.push_back("+least|graph(i0: T[7,33]) { c = Constant(value=-9223372036854775808, dtype=\"i64\"); m = Min(i0, c); v0 = " +
                    name + "(m, axes=[-1]); return v0 }");
  return texts;
}

// "T" stands for the element type.
Texts texts_of(Op op, DType dtype) {
  const std::string name(name_of(op));
  switch (op) {
    case Op::kExp:
    case Op::kLog:
    case Op::kErf:
    case Op::kTanh:
    case Op::kSigmoid:
    case Op::kSwish:
    case Op::kSin:
    case Op::kCos:
    case Op::kTan:
    case Op::kAsin:
    case Op::kAcos:
    case Op::kAtan:
    case Op::kSinh:
    case Op::kCosh:
    case Op::kAsinh:
    case Op::kAcosh:
    case Op::kAtanh: return {"graph(i0: T" + many_values(dtype) + ") { v0 = " + name + "(i0); return v0 }"};
    case Op::kIdentity:
    case Op::kNeg:
    case Op::kAbs:
    case Op::kSqrt:
    case Op::kReciprocal:
    case Op::kRelu:
    case Op::kLeakyRelu:
    case Op::kFloor:
    case Op::kCeil:
    case Op::kRound:
    case Op::kSign:
    case Op::kIsNaN:
    case Op::kShrink:
    case Op::kThresholdedRelu: return {"graph(i0: T[7,33]) { v0 = " + name + "(i0); return v0 }"};
    case Op::kGelu:
      return {"graph(i0: T" + many_values(dtype) + ") { v0 = Gelu(i0); return v0 }",
              "graph(i0: T[65537]) { v0 = Gelu(i0, approximate=\"tanh\"); return v0 }"};
    case Op::kClip:
      return {is_floating(dtype) ? "graph(i0: T[7,33]) { v0 = Clip(i0, min=-0.5, max=0.25); return v0 }"
                                 : "graph(i0: T[7,33]) { v0 = Clip(i0, min=2, max=5); return v0 }"};
    case Op::kCast: return cast_texts(dtype);
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kDiv:
    case Op::kPow:
    case Op::kMin:
    case Op::kMax:
      return {"graph(i0: T[7,33], i1: T[7,33]) { v0 = " + name + "(i0, i1); return v0 }",
              "graph(i0: T[3,5,9], i1: T[5,1]) { v0 = " + name + "(i0, i1); return v0 }"};
    case Op::kEqual:
    case Op::kLess:
    case Op::kGreater:
    case Op::kLessOrEqual:
    case Op::kGreaterOrEqual:
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
      return {"graph(i0: T[7,33], i1: T[7,33]) { v0 = " + name + "(i0, i1); return v0 }",
              "graph(i0: T[3,5,9], i1: T[5,1]) { v0 = " + name + "(i0, i1); return v0 }"};
    case Op::kBitwiseAnd:
      if (is_floating(dtype) || dtype == DType::kBool) return {};
      return {"graph(i0: T[7,33], i1: T[7,33]) { v0 = BitwiseAnd(i0, i1); return v0 }",
              "graph(i0: T[3,5,9], i1: T[5,1]) { v0 = BitwiseAnd(i0, i1); return v0 }"};
    case Op::kMod:
      return {"graph(i0: T[7,33], i1: T[7,33]) { v0 = Mod(i0, i1, fmod=1); return v0 }",
              "graph(i0: T[3,5,9], i1: T[5,1]) { v0 = Mod(i0, i1); return v0 }"};
    case Op::kIsInf:
      return {"graph(i0: T[7,33]) { v0 = IsInf(i0); return v0 }",
              "graph(i0: T[7,33]) { v0 = IsInf(i0, detect_negative=0); return v0 }"};
    case Op::kNot: return {"graph(i0: T[7,33]) { v0 = Not(i0); return v0 }"};
    case Op::kWhere: return {"graph(i0: bool[7,33], i1: T[7,33], i2: T[33]) { v0 = Where(i0, i1, i2); return v0 }"};
    case Op::kReduceSum:
    case Op::kReduceMean:
    case Op::kReduceMax:
    case Op::kReduceProd: return reduction_texts(name, op == Op::kReduceMax && dtype == DType::kI64);
    case Op::kArgMax:
    case Op::kArgMin:
      return {"graph(i0: T[7,33]) { v0 = " + name + "(i0, axis=-1); return v0 }",
              "graph(i0: T[7,33]) { v0 = " + name + "(i0, keepdims=0, select_last_index=1); return v0 }"};
    case Op::kTopK:
      return {"graph(i0: T[7,33]) { v0, v1 = TopK(i0, k=3); return v0, v1 }",
              "graph(i0: T[7,33]) { v0, v1 = TopK(i0, k=2, axis=0, largest=0); return v0, v1 }",
              "+all|graph(i0: T[3,40,2]) { v0, v1 = TopK(i0, k=40, axis=1); return v1, v0 }",
              "+values|graph(i0: T[7,33]) { v0, v1 = TopK(i0, k=11, largest=0); v2 = Unsqueeze(v0, axes=[0]); return v2 }",
              "+places|graph(i0: T[7,33]) { v0, v1 = TopK(i0, k=1); return v1 }"};
    case Op::kCumSum:
      return {"graph(i0: T[7,33]) { v0 = CumSum(i0, axis=1); return v0 }",
              "graph(i0: T[7,33]) { v0 = CumSum(i0, axis=0, exclusive=1, reverse=1); return v0 }"};
    case Op::kSoftmax:
    case Op::kLogSoftmax:
    case Op::kHardmax:
      return {"graph(i0: T[7,33]) { v0 = " + name + "(i0); return v0 }",
              "+middle|graph(i0: T[3,7,5]) { v0 = " + name + "(i0, axis=1); return v0 }"};
    case Op::kLayerNormalization:
      return {"graph(i0: T[7,33], p0: param T[33], p1: param T[33]) { v0 = LayerNormalization(i0, p0, p1); return v0 }"};
    case Op::kRMSNormalization: return {"graph(i0: T[7,33], p0: param T[33]) { v0 = RMSNormalization(i0, p0); return v0 }"};
    case Op::kNegativeLogLikelihoodLoss:
      return {"graph(i0: T[7,33], i1: i64[7]) { v0 = NegativeLogLikelihoodLoss(i0, i1); return v0 }",
              "graph(i0: T[3,5,9], i1: i64[3,9]) { v0 = NegativeLogLikelihoodLoss(i0, i1, reduction=\"none\"); return v0 }"};
    case Op::kSoftmaxCrossEntropyLoss:
      return {"graph(i0: T[7,33], i1: i64[7]) { v0 = SoftmaxCrossEntropyLoss(i0, i1, reduction=\"none\"); return v0 }"};
    case Op::kMatMul:
      return {"graph(i0: T[7,33], p0: param T[33,19]) { v0 = MatMul(i0, p0); return v0 }",
              "graph(i0: T[3,7,9], i1: T[3,9,5]) { v0 = MatMul(i0, i1); return v0 }"};
    case Op::kGemm:
      return {"graph(i0: T[7,33], p0: param T[19,33], p1: param T[19]) { v0 = Gemm(i0, p0, p1, transB=1); return v0 }"};
    case Op::kConv:
      return {"graph(i0: T[1,5,9,11], p0: param T[7,5,3,3]) { v0 = Conv(i0, p0, pads=[1,1,1,1]); return v0 }",
              "graph(i0: T[2,4,9,9], p0: param T[6,4,1,1], p1: param T[6]) { v0 = Conv(i0, p0, p1, strides=[2,2]); return v0 }",
              "+1d|graph(i0: T[2,5,11], p0: param T[7,5,3]) { v0 = Conv(i0, p0, pads=[1,1]); return v0 }",
              "+3d|graph(i0: T[1,3,5,6,7], p0: param T[4,3,2,3,3], p1: param T[4]) "
              "{ v0 = Conv(i0, p0, p1, strides=[1,2,2], pads=[0,1,1,0,1,1]); return v0 }"};
    case Op::kAttention:
      return {"graph(i0: T[1,2,7,16], i1: T[1,2,9,16], i2: T[1,2,9,16]) { v0 = Attention(i0, i1, i2); return v0 }",
              "+mask|graph(i0: T[1,2,7,16], i1: T[1,2,9,16], i2: T[1,2,9,16], i3: bool[7,9]) "
              "{ v0 = Attention(i0, i1, i2, i3); return v0 }",
              "+added|graph(i0: T[1,4,7,16], i1: T[1,2,9,16], i2: T[1,2,9,16], i3: T[1,1,7,9]) "
              "{ v0 = Attention(i0, i1, i2, i3, is_causal=1); return v0 }"};
    case Op::kLSTM:
      return {
          "graph(i0: T[5,3,11], p0: param T[1,36,11], p1: param T[1,36,9]) { v0, v1, v2 = LSTM(i0, p0, p1); return v0, v1, v2 }",
          "+all|graph(i0: T[5,3,4], p0: param T[2,32,4], p1: param T[2,32,8], p2: param T[2,64], i1: i32[3], i2: T[2,3,8], "
          "i3: T[2,3,8], p3: param T[2,24]) { v0, v1, v2 = LSTM(i0, p0, p1, p2, i1, i2, i3, p3, clip=1.5, input_forget=1, "
          "direction=\"bidirectional\", operands=\"B sequence_lens initial_h initial_c P\", activations=\"HardSigmoid "
          "ScaledTanh:0.9:0.8 "
          "Softsign Sigmoid Elu:0.7 Tanh\"); return v2, v0, v1 }",
          "+last|graph(i0: T[6,1,17], p0: param T[1,68,17], p1: param T[1,68,17], p2: param T[1,136]) "
          "{ v0, v1, v2 = LSTM(i0, p0, p1, p2, direction=\"reverse\", operands=\"B\"); v3 = Squeeze(v1, axes=[0]); return v3 }"};
    case Op::kGRU:
      return {
          "graph(i0: T[5,3,11], p0: param T[1,27,11], p1: param T[1,27,9]) { v0, v1 = GRU(i0, p0, p1); return v0, v1 }",
          "+all|graph(i0: T[5,3,4], p0: param T[2,24,4], p1: param T[2,24,8], p2: param T[2,48], i1: i32[3], i2: T[2,3,8]) "
          "{ v0, v1 = GRU(i0, p0, p1, p2, i1, i2, direction=\"bidirectional\", operands=\"B sequence_lens initial_h\", clip=2.0); "
          "return v0, v1 }",
          "+linear|graph(i0: T[5,3,4], p0: param T[2,24,4], p1: param T[2,24,8], p2: param T[2,48], i1: i32[3]) "
          "{ v0, v1 = GRU(i0, p0, p1, p2, i1, direction=\"bidirectional\", operands=\"B sequence_lens\", linear_before_reset=1, "
          "activations=\"Sigmoid LeakyRelu:0.2 Sigmoid Affine:0.5:0.1\"); return v1, v0 }"};
    case Op::kRNN:
      return {"graph(i0: T[5,3,11], p0: param T[1,9,11], p1: param T[1,9,9]) { v0, v1 = RNN(i0, p0, p1); return v0, v1 }",
              "+all|graph(i0: T[5,3,4], p0: param T[2,8,4], p1: param T[2,8,8], p2: param T[2,16], i1: i32[3], i2: T[2,3,8]) "
              "{ v0, v1 = RNN(i0, p0, p1, p2, i1, i2, direction=\"bidirectional\", operands=\"B sequence_lens initial_h\", "
              "activations=\"ThresholdedRelu:0.3 Softplus\", clip=2.5); return v0, v1 }"};
    case Op::kBatchNormalization:
      return {
          "graph(i0: T[2,5,7,3], p0: param T[5], p1: param T[5], p2: param T[5], p3: param T[5]) "
          "{ v0 = BatchNormalization(i0, p0, p1, p2, p3); return v0 }"};
    case Op::kMaxPool:
    case Op::kAveragePool:
      return {"graph(i0: T[1,5,9,11]) { v0 = " + name + "(i0, kernel_shape=[3,3], pads=[1,1,1,1], strides=[2,2]); return v0 }"};
    case Op::kGlobalAveragePool: return {"graph(i0: T[2,5,7,3]) { v0 = GlobalAveragePool(i0); return v0 }"};
    case Op::kRotaryEmbedding:
      return {"graph(i0: T[1,2,7,16], p0: param T[1,7,8], p1: param T[1,7,8]) { v0 = RotaryEmbedding(i0, p0, p1); return v0 }",
              "+position_ids|graph(i0: T[1,2,7,16], p0: param T[7,8], p1: param T[7,8], i1: i64[1,7]) "
              "{ v0 = RotaryEmbedding(i0, p0, p1, i1); return v0 }",
              "+interleaved|graph(i0: T[2,3,7,18], p0: param T[2,7,8], p1: param T[2,7,8]) "
              "{ v0 = RotaryEmbedding(i0, p0, p1, interleaved=1, rotary_embedding_dim=16); return v0 }",
              "+interleaved_flat|graph(i0: T[2,7,24], p0: param T[9,4], p1: param T[9,4], i1: i64[2,7]) "
              "{ v0 = RotaryEmbedding(i0, p0, p1, i1, interleaved=1, num_heads=3); return v0 }"};
    case Op::kTranspose: return {"graph(i0: T[7,33]) { v0 = Transpose(i0, perm=[1,0]); return v0 }"};
    case Op::kReshape: return view_texts("[6,35]", "Reshape(i0, shape=[10,21])", dtype);
    case Op::kFlatten: return view_texts("[6,5,7]", "Flatten(i0)", dtype);
    case Op::kUnsqueeze: return view_texts("[6,5]", "Unsqueeze(i0, axes=[1])", dtype);
    case Op::kSqueeze: return view_texts("[6,1,5]", "Squeeze(i0, axes=[1])", dtype);
    case Op::kExpand: return {"graph(i0: T[7,1]) { v0 = Expand(i0, shape=[7,33]); return v0 }"};
    case Op::kConcat: return {"graph(i0: T[7,5], i1: T[7,9]) { v0 = Concat(i0, i1, axis=-1); return v0 }"};
    case Op::kSlice: return {"graph(i0: T[7,33]) { v0 = Slice(i0, starts=[3], ends=[20], axes=[1]); return v0 }"};
    case Op::kSplit:
      return {"graph(i0: T[7,34]) { v0, v1 = Split(i0, axis=1, num_outputs=2); return v0, v1 }",
              "+Add|graph(i0: T[7,34]) { v0, v1 = Split(i0, axis=1, num_outputs=2); v2 = Add(v0, v1); return v2 }"};
    case Op::kGather: return {"graph(p0: param T[19,8], i0: i64[7]) { v0 = Gather(p0, i0); return v0 }"};
    case Op::kTrilu:
      return {"graph(i0: T[2,7,9]) { v0 = Trilu(i0); return v0 }",
              "graph(i0: T[7,33]) { v0 = Trilu(i0, k=-2, upper=0); return v0 }"};
    case Op::kPad:
      return {"graph(i0: T[7,33]) { v0 = Pad(i0, pads=[1,0,2,3]); return v0 }",
              "graph(i0: T[7,33]) { v0 = Pad(i0, pads=[0,4,0,4], mode=\"reflect\"); return v0 }",
              "graph(i0: T[7,33]) { v0 = Pad(i0, pads=[2,0,0,1], mode=\"edge\"); return v0 }"};
    case Op::kGatherElements: return {"graph(i0: T[7,33], i1: i64[7,5]) { v0 = GatherElements(i0, i1, axis=1); return v0 }"};
    case Op::kGatherND:
      return {"graph(i0: T[5,7,9], i1: i64[6,2]) { v0 = GatherND(i0, i1); return v0 }",
              "graph(i0: T[5,7,9], i1: i64[5,3,1]) { v0 = GatherND(i0, i1, batch_dims=1); return v0 }"};
    // Indices may be drawn twice: what replaces would depend on the order.
    case Op::kScatterElements:
      return {
          "graph(i0: T[7,33], i1: i64[7,5], i2: T[7,5]) "
          "{ v0 = ScatterElements(i0, i1, i2, axis=1, reduction=\"add\"); return v0 }",
          "+mul|graph(i0: T[7,33], i1: i64[7,5], i2: T[7,5]) "
          "{ v0 = ScatterElements(i0, i1, i2, axis=1, reduction=\"mul\"); return v0 }",
          "+max|graph(i0: T[7,33], i1: i64[7,5], i2: T[7,5]) "
          "{ v0 = ScatterElements(i0, i1, i2, axis=1, reduction=\"max\"); return v0 }",
          "+min|graph(i0: T[7,33], i1: i64[7,5], i2: T[7,5]) "
          "{ v0 = ScatterElements(i0, i1, i2, axis=1, reduction=\"min\"); return v0 }"};
    case Op::kScatterND:
      return {"graph(i0: T[7,33], i1: i64[4,1], i2: T[4,33]) { v0 = ScatterND(i0, i1, i2, reduction=\"add\"); return v0 }",
              "+mul|graph(i0: T[7,33], i1: i64[4,1], i2: T[4,33]) { v0 = ScatterND(i0, i1, i2, reduction=\"mul\"); return v0 }",
              "+max|graph(i0: T[7,33], i1: i64[4,1], i2: T[4,33]) { v0 = ScatterND(i0, i1, i2, reduction=\"max\"); return v0 }",
              "+min|graph(i0: T[7,33], i1: i64[4,1], i2: T[4,33]) { v0 = ScatterND(i0, i1, i2, reduction=\"min\"); return v0 }"};
    case Op::kConstant:
    case Op::kOwnKernel:
    case Op::kOpaque: return {};
  }
  return {};
}

std::string with_type(std::string text, DType dtype) {
  for (auto at = text.find("T["); at != std::string::npos; at = text.find("T[", at)) text.replace(at, 1, name_of(dtype));
  return text;
}

}  // namespace

std::vector<OperatorGraph> graphs_of(Op op, DType dtype) {
  std::vector<OperatorGraph> graphs;
  if (!is_defined(op, dtype)) return graphs;
  for (const auto& text : texts_of(op, dtype)) {
    const auto bar = text.find('|');
    const std::string variant = bar == std::string::npos ? "" : text.substr(0, bar);
    auto graph = parse_graph(with_type(bar == std::string::npos ? text : text.substr(bar + 1), dtype));
    if (!graph.ok()) {
      if (!is_about_types(graph.error())) ADD_FAILURE() << text << " for " << name_of(dtype) << ": " << graph.error().message;
      continue;
    }
    graphs.push_back({std::string(name_of(op)) + variant + "/" + std::string(name_of(dtype)), std::move(graph).value()});
  }
  return graphs;
}

std::vector<SmallWorkload> small_workloads() {
  constexpr std::int64_t kSizes[] = {13, 37, 9, 21, 5, 33};
  std::vector<SmallWorkload> workloads;
  for (const auto& workload : builtin_workloads()) {
    Bindings shape;
    for (const auto& [symbol, extent] : workload.default_shape) {
      shape[symbol] = std::min(extent, kSizes[shape.size() % std::size(kSizes)]);
    }
    auto graph = instantiate(workload, shape, DType::kF32);
    if (graph.ok()) workloads.push_back({workload.id, std::move(graph).value()});
  }
  return workloads;
}

}  // namespace fuselab::conformance
