// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab::library {

enum class ProductEnd : std::uint8_t { kNone, kRelu, kGelu };  // Gelu by tanh

// What a library of products computes at the end of one besides alpha and beta.
struct ProductAbilities {
  const char* library;  // "hipBLASLt"
  bool adds_bias = false, has_ends = false;
};

// A column-major matrix as BLAS takes it: how far apart its columns are, and those of a batch, in elements.
struct ProductMatrix {
  int argument = -1;  // of the kernel; -1: there is none
  bool transposed = false;
  std::int64_t leading = 0, stride = 0;
};

// D = end(alpha · op(A) · op(B) + beta · C + bias), once or for each of a batch, over column-major matrices. The row-major product
// of a graph is computed as its transpose: A is the graph's second operand, D's rows are the graph's columns, and a bias along the
// graph's columns lies along D's rows. All tensors are of one type.
struct ProductCall {
  DType dtype = DType::kF32;
  std::int64_t rows = 0, columns = 0, depth = 0, batch = 1;  // of D
  ProductMatrix a, b, c, d;
  int bias = -1;  // argument
  float alpha = 1, beta = 0;
  ProductEnd end = ProductEnd::kNone;
  std::string covers;  // "MatMul+Add+Relu"
};

// Fails with kUnsupported and the reason where one such call does not compute a concrete graph.
Result<ProductCall> product_call_of(const Graph& graph, const ProductAbilities& abilities);

}  // namespace fuselab::library
