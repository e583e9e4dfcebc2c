// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backends/mkl/mkl_plan.h"

namespace fuselab::mkl {

// The functions of MKL's vector mathematics that steps name, each in single precision with an explicit mode.
std::vector<const char*> vector_functions();

// Whether an operator is taken as steps of a chain.
bool is_vector_operator(Op op);

// Appends the steps that compute an element-wise node from its operands and returns its result. Of a Gemm they add its third
// operand, the second one here, to the product. Fails with kUnsupported for attributes without a function.
Result<VectorOperand> append_steps(const Node& node, const std::vector<VectorOperand>& operands, std::vector<VectorStep>& steps);

}  // namespace fuselab::mkl
