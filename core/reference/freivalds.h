// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/graph/graph.h"
#include "core/reference/tolerance.h"
#include "core/tensor/tensor.h"

namespace fuselab {

// Freivalds' check looks at every element of a product C = A·B in O(n²), where a sample looks at some. With `rounds` seeded ±1
// vectors a wrong row goes unnoticed with probability 2^-rounds, once it is off by more than the rounding of its whole row allows:
// a single wrong number shows, one that is off in its last digits does not.
//
// It applies to MatMul and Gemm (α, β, C) of floating point whose operands are graph inputs, and to affine operators behind them:
// an added or subtracted bias or residual of any broadcast shape, a product or quotient with one number per row, one per column or
// one for all, a negation, a change of shape. Behind anything else (an activation, a clip, a softmax, a scale per element, a
// transposition, a cast) sums of outputs do not determine sums of products. There the check does not apply, and only the edges of
// tiles and the seeded sample of expected_outputs() are checked.
class FreivaldsCheck {
 public:
  // Prepares everything that does not depend on a kernel's result. Returns nothing where the check does not apply.
  static std::optional<FreivaldsCheck> create(const Graph& graph, std::span<const RealTensor> inputs, int rounds,
                                              std::uint64_t seed);
  static bool applies(const Graph& graph);

  // Judges a kernel's result; `checked` counts row sums. Rows whose sums or limits leave the type's range are judged element by
  // element instead.
  Verification judge(const RealTensor& actual) const;
  Bytes host_bytes() const;

 private:
  struct Row {
    double product_plain = 0;  // bound of Σ_j of the errors of the products, and of the root of their squares; in kUnit
    double product_root = 0;
    bool judged = true;
  };
  struct Batches;  // the loops over the operands

  FreivaldsCheck() = default;
  double sum_limit(std::size_t row, const RealTensor& actual) const;
  void judge_row(std::size_t round, std::size_t row, double got, double limit, Verification& found) const;

  std::size_t columns_ = 0, rounds_ = 0, rows_per_batch_ = 0;
  double kept_ = 0;                           // error that rounding adds per unit of an element's magnitude, in kUnit
  Tolerance tolerance_;                       // relative to errors in kUnit
  std::vector<Row> rows_;                     // rows of all batches
  std::vector<double> offset_, accumulated_;  // one per element
  std::vector<signed char> signs_;            // [round][batch][column]
  std::vector<double> wanted_;                // [round][row]
};

}  // namespace fuselab
