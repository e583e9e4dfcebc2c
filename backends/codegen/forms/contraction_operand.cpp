// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/forms/contraction_operand.h"

namespace fuselab::codegen {

ContractionOperand::ContractionOperand(Side side, const Graph& graph, const ContractionKernel& kernel,
                                       const std::vector<KernelParameter>& parameters, Names& names)
    : kernel_(kernel), parameters_(parameters), input_(side == Side::kLeft ? kernel.contraction.left : kernel.contraction.right) {
  if (!kernel.computes(side)) return;
  prologue_.emplace(graph, *kernel.prologue, parameters, names);
  place_ = names.unique("place");
}

ExprPtr ContractionOperand::at(Body& body, const ExprPtr& at, int lanes) const {
  const IrType type{kernel_.contraction.compute, lanes};
  if (!prologue_) {
    const KernelParameter& source = parameters_[static_cast<std::size_t>(input_)];
    return load(source.name, at, type, source.storage);
  }
  const RowProgram& program = *kernel_.prologue;
  const ExprPtr place = BodyBuilder(body).declare(place_, at);
  if (program.rows() == 1) return prologue_->compute(body, integer(0), place, type);
  return prologue_->compute(body, place / integer(program.cols), place % integer(program.cols), type);
}

}  // namespace fuselab::codegen
