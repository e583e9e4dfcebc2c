// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/kernel/drawback.h"

namespace fuselab::mkl {

// Tensors of a plan are numbered: the kernel's arguments in order, then those that the plan keeps between its calls. All are
// row-major, and all f32 or all bf16, but that a product of bf16 has a result of f32, and one of 8-bit numbers of i32.

// What is known of a product of 8-bit numbers, for which MKL has u8 times i8: numbers of i8 are turned by 128 in a tensor of the
// plan's. What that and A's zero point add is the sum of each column of B so many times, which another tensor holds.
struct ByteProduct {
  DType a = DType::kU8, zero = DType::kU8;
  int zero_tensor = -1, zero_number = 0;  // -1: the number
  int turned = -1, offsets = -1;
  bool constant_b = false;
};

// C = alpha * op(A) * op(B), once or for each of a batch.
struct Product {
  int a = -1, b = -1, c = -1;
  int m = 0, n = 0, k = 0;
  bool trans_a = false, trans_b = false;
  float alpha = 1;
  // Where A and B of each of the batch begin, in elements; each C begins where the one before ends.
  std::vector<std::int64_t> begins_a, begins_b;
  bool constant_b = false;  // B is a parameter: it may be packed ahead of time
  bool is_bf16 = false;     // A and B are, C is f32
  std::optional<ByteProduct> bytes;

  int lda() const { return trans_a ? m : k; }
  int ldb() const { return trans_b ? k : n; }
  // Whether the products of the batch lie at equal distances, so that one call computes all.
  bool is_strided() const;
};

// An operand of a vector function: a tensor, read along the chain's shape; the result of an earlier step; a number.
struct VectorOperand {
  enum class Kind : std::uint8_t { kNone, kTensor, kStep, kNumber } kind = Kind::kNone;
  int index = -1;    // into the chain's readings, or of the step
  float number = 0;  // kNumber
};

// A tensor as a chain reads it: strides in elements, 0 where it is broadcast.
struct Reading {
  int tensor = -1;
  std::vector<std::int64_t> strides;
  DType dtype = DType::kF32;  // or bf16, or i32
};

struct VectorStep {
  const char* function = nullptr;  // of MKL's vector mathematics (VML), such as "vmsExp"; null: the result is the operand
  VectorOperand a, b;              // b: none where the function takes one
  int stored_in = -1;  // the tensor that gets its result, row-major in the chain's shape; -1: nobody reads it outside of the chain
};

// Element-wise steps over one shape, taken chunk by chunk, so that what lies between two of them stays in a cache.
struct VectorChain {
  std::vector<std::int64_t> dims;
  std::vector<Reading> readings;
  std::vector<VectorStep> steps;
  bool stores_bf16 = false;
};

struct MklPlan {
  std::vector<std::variant<Product, VectorChain>> calls;
  std::vector<std::string> words;  // one per call: "cblas_sgemm covers MatMul"
  int arguments = 0;
  std::vector<std::int64_t> kept_bytes;  // of the plan's own tensors
};

// Returns the operators that a graph may hold.
const std::vector<Op>& claimed_operators();
// MKL's maximum and minimum give the other operand where one is NaN.
Drawbacks drawbacks_in(const Graph& graph);

// Fails with kUnsupported and the reason where MKL has no function for an operator or an element type.
Result<MklPlan> lower(const Graph& graph);

}  // namespace fuselab::mkl
