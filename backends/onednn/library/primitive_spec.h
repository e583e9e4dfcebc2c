// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/assert.h"
#include "core/graph/dtype.h"

namespace fuselab::onednn {

// How a tensor lies in memory. Strides are in elements, one per dimension.
struct Layout {
  DType dtype = DType::kF32;
  std::vector<std::int64_t> dims;
  std::vector<std::int64_t> strides;
  bool operator==(const Layout&) const = default;
};
Layout row_major(DType dtype, std::vector<std::int64_t> dims);
bool is_row_major(const Layout& layout);
std::int64_t elements_of(const Layout& layout);
// The same memory with the strides of dimensions of one element as if they were walked: the library checks them.
Layout with_sound_strides(Layout layout);

// A tensor of a plan, seen in a way: the kernel's arguments first, in order, then what the plan keeps between its primitives.
struct Operand {
  int tensor = -1;
  Layout layout;
};

enum class PrimitiveKind {
  kMatMul,
  kConvolution,
  kSoftmax,
  kLayerNormalization,
  kBatchNormalization,
  kPooling,
  kEltwise,
  kBinary,
  kReduction,
  kReorder
};
std::string_view name_of(PrimitiveKind kind);

// What the library computes with: one list for all kinds; each major has its own numbers for the element-wise ones.
enum class Algorithm {
  kNone,
  kRelu,
  kTanh,
  kAbs,
  kSqrt,
  kLinear,
  kLogistic,
  kExp,
  kGeluTanh,
  kGeluErf,
  kSwish,
  kLog,
  kClip,
  kPow,
  kRound,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMin,
  kMax,
  kReduceSum,
  kReduceMean,
  kReduceMax,
  kReduceProd,
  kPoolMax,
  kPoolAverage,
  kPoolAverageWithPadding,
  kSoftmax,
  kLogSoftmax,
};
std::string_view name_of(Algorithm algorithm);
constexpr bool is_eltwise(Algorithm algorithm) {
  return algorithm >= Algorithm::kRelu && algorithm <= Algorithm::kRound;
}
constexpr bool is_binary(Algorithm algorithm) {
  return algorithm >= Algorithm::kAdd && algorithm <= Algorithm::kMax;
}

// Applied to the result of a primitive before it is stored.
struct PostOp {
  Algorithm algorithm = Algorithm::kNone;
  float alpha = 0, beta = 0;       // element-wise
  std::optional<Operand> operand;  // binary: the other side, broadcast to the destination's dimensions
};

// One primitive: what it computes and on which tensors.
struct PrimitiveSpec {
  PrimitiveKind kind = PrimitiveKind::kReorder;
  Algorithm algorithm = Algorithm::kNone;
  Operand source;
  std::optional<Operand> weights;  // a contraction's, or the second source of a binary
  std::optional<Operand> bias, mean, variance, scale, shift;
  Operand destination;
  std::vector<std::int64_t> strides, dilates, padding_before, padding_after, window;  // one per spatial dimension
  float alpha = 0, beta = 0, epsilon = 0;
  int axis = 0;
  std::vector<PostOp> post_ops;
  bool constant_weights = false;  // a parameter: may be laid out anew ahead of time
  std::string covers;             // "Conv+Relu": the operators
  std::string why_apart;          // why it did not become a post-op of what makes its source; empty for the first
};

// The primitives that compute a graph, in order.
struct PrimitivePlan {
  std::vector<PrimitiveSpec> primitives;
  int arguments = 0;                     // tensors that the caller gives
  std::vector<std::int64_t> kept_bytes;  // sizes of the plan's own tensors
};

}  // namespace fuselab::onednn
