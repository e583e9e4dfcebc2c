// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "backends/codegen/ir/ir.h"
#include "backends/codegen/ir/names.h"
#include "backends/codegen/rows/row_program.h"

namespace fuselab::codegen {

// Terms of a sum from which it gives requests for lines time to arrive; a guess that was measured at 64 and more alone.
inline constexpr std::int64_t kLeastTermsToPrefetch = 32;

// Element-wise code around a core operator. As an epilogue it takes accumulated registers and stores the kernel's outputs; as a
// prologue it makes an operand's elements.
class Epilogue {
 public:
  // `program` was made with the core; all must outlive this.
  Epilogue(const Graph& graph, const RowProgram& program, const std::vector<KernelParameter>& parameters, Names& names);

  // Returns the first output's `type.lanes` elements at (row, column), for a program without a core.
  ExprPtr compute(Body& body, const ExprPtr& row, const ExprPtr& column, IrType type) const;
  // Appends the stores of `lanes` elements at (row, column); `total` is the core's result there, and `twin` that of a second one.
  void store(Body& body, const ExprPtr& row, const ExprPtr& column, const ExprPtr& total, const ExprPtr& twin = nullptr) const;
  // Appends requests for the lines that store() will read and write there, of tensors that have elements of their own in each row.
  void prefetch(Body& body, const ExprPtr& row, const ExprPtr& column) const;

 private:
  struct Place;
  ExprPtr value(int node, Place& place) const;

  const Graph& graph_;
  const RowProgram& program_;
  const std::vector<KernelParameter>& parameters_;
  std::vector<std::string> names_;  // names of row nodes
};

}  // namespace fuselab::codegen
