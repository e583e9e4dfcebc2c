// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "backends/codegen/forms/contraction_operand.h"

namespace fuselab::codegen {

// Returns a && b, where null stands for true.
ExprPtr both(const ExprPtr& a, const ExprPtr& b);
ExprPtr below(const ExprPtr& index, std::int64_t extent);

// One element of an operand that does not lie beside its neighbours, or may lie outside.
struct GuardedElement {
  ExprPtr inside;                       // null: always
  std::function<ExprPtr(Body&)> value;  // appends what it takes; may be read where `inside` holds
};

// The elements of a contraction's operands, by row, step of k and column.
class ContractionElements {
 public:
  // All references must outlive this.
  ContractionElements(const Graph& graph, const ContractionKernel& kernel, const std::vector<KernelParameter>& parameters,
                      Names& names);

  // Returns an element of the left operand, whose batch begins at `at`.
  ExprPtr left(Body& body, const ExprPtr& at, const ExprPtr& row, const ExprPtr& k) const;
  // The same of the right operand; of an image, zero where the window hangs over its edge.
  GuardedElement right(Body& body, const ExprPtr& at, const ExprPtr& k, const ExprPtr& column) const;
  // Returns the value where it is inside, also by the caller's own condition, and zero elsewhere.
  ExprPtr read(Body& body, const GuardedElement& wanted, const ExprPtr& inside) const;
  // Returns `lanes` neighbours of the right operand, counted over the whole of it.
  ExprPtr right_registers(Body& body, const ExprPtr& at, std::int64_t lanes) const {
    return right_.at(body, at, static_cast<int>(lanes));
  }

 private:
  const Contraction& c_;
  Names& names_;
  ContractionOperand left_, right_;
};

}  // namespace fuselab::codegen
