// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/codegen/forms/contraction.h"
#include "backends/codegen/rows/epilogue.h"

namespace fuselab::codegen {

// The elements of one of a contraction's operands: read from memory, or computed from what is read.
class ContractionOperand {
 public:
  // All references must outlive this.
  ContractionOperand(Side side, const Graph& graph, const ContractionKernel& kernel, const std::vector<KernelParameter>& parameters,
                     Names& names);

  // Returns `lanes` neighbours from element `at` on, counted over the whole operand; statements that they need are appended to
  // `body`.
  ExprPtr at(Body& body, const ExprPtr& at, int lanes) const;

 private:
  const ContractionKernel& kernel_;
  const std::vector<KernelParameter>& parameters_;
  int input_;
  std::optional<Epilogue> prologue_;
  std::string place_;
};

}  // namespace fuselab::codegen
