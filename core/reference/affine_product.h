// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/reference/operators/reference_matmul.h"
#include "core/tensor/tensor.h"

// A product and the affine operators behind it, for Freivalds' check; private to core/reference.
namespace fuselab::reference {

// A chain of operators that turn a product P into row·column·P + offset, element by element, found in a graph that has no other
// output. Between the operators and the product, and before its operands, views may change shapes.
struct AffineChain {
  struct Step {
    const Node* node;
    std::size_t side;  // the input that is not the product's; node->inputs.size() when there is none
  };
  const Node* product = nullptr;
  std::vector<Step> steps;
};

// Returns the chain, or nothing when one operator is not affine in the product (an activation, a maximum, a square), scales its
// elements one by one, moves them, or reads what other operators computed: those have rounding errors of their own.
std::optional<AffineChain> affine_chain_of(const Graph& graph);

// y[i,j] = row_scale[i]·column_scale[j]·P[i,j] + offset[i,j], with the rows of all batches numbered consecutively.
struct AffineProduct {
  MatrixProduct shape;
  std::span<const double> a, b;
  std::vector<double> row_scale, column_scale;
  std::vector<double> offset;       // one per element of the output
  std::vector<double> accumulated;  // Σ of the magnitudes that went into the offset, including results flushed to zero
  int roundings = 0;                // operators that round a result on the way from P to y

  std::int64_t rows() const { return static_cast<std::int64_t>(row_scale.size()); }
};
AffineProduct affine_product(const Graph& graph, const AffineChain& chain, std::span<const RealTensor> inputs);

}  // namespace fuselab::reference
