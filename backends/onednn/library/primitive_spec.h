// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/assert.h"
#include "core/types/dtype.h"

namespace fuselab::onednn {

// The layout of a tensor in memory. Strides are in elements, one per dimension.
struct Layout {
  DType dtype = DType::kF32;
  std::vector<std::int64_t> dims;
  std::vector<std::int64_t> strides;
  bool operator==(const Layout&) const = default;
};
Layout row_major(DType dtype, std::vector<std::int64_t> dims);
bool is_row_major(const Layout& layout);
std::int64_t elements_of(const Layout& layout);
// Returns the layout of the same memory with dense strides for dimensions of one element, because the library checks them.
Layout with_sound_strides(Layout layout);

// A view of a tensor of a plan. The kernel's arguments come first, in order, then the tensors that the plan keeps between its
// primitives.
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

// The library's algorithms: one list for all kinds; each major has its own numbers for the element-wise ones.
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

// An operation on the result of a primitive before it is stored.
struct PostOp {
  Algorithm algorithm = Algorithm::kNone;
  float alpha = 0, beta = 0;       // element-wise
  std::optional<Operand> operand;  // binary: the other side, broadcast to the destination's dimensions
};

// One primitive: its operation and its tensors.
struct PrimitiveSpec {
  PrimitiveKind kind = PrimitiveKind::kReorder;
  Algorithm algorithm = Algorithm::kNone;
  Operand source;
  std::optional<Operand> weights;  // weights of a contraction, or the second source of a binary
  std::optional<Operand> bias, mean, variance, scale, shift;
  Operand destination;
  std::vector<std::int64_t> strides, dilates, padding_before, padding_after, window;  // one per spatial dimension
  float alpha = 0, beta = 0, epsilon = 0;
  int axis = 0;
  std::vector<PostOp> post_ops;
  bool constant_weights = false;  // they are a parameter, so their layout may be changed ahead of time
  std::string covers;             // the operators that it computes: "Conv+Relu"
  std::string why_apart;          // why it did not become a post-op of the primitive that makes its source; empty for the first
};

// The primitives that compute a graph, in order.
struct PrimitivePlan {
  std::vector<PrimitiveSpec> primitives;
  std::vector<std::string> implementations;  // of each, in the layouts of the graph: "brg:avx512_core"
  int arguments = 0;                         // number of tensors that the caller gives
  std::vector<std::int64_t> kept_bytes;      // sizes of the plan's own tensors
};

}  // namespace fuselab::onednn
