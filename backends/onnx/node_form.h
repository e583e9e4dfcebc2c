// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab::onnx_model {

// An operand of a node in ONNX's form: a value of the graph, whole numbers or a number that the model holds, or one left out.
struct FormOperand {
  enum class Kind { kValue, kIntegers, kNumber, kAbsent } kind = Kind::kAbsent;
  ValueId value{};
  std::vector<std::int64_t> integers;
  bool is_scalar = false;  // one whole number of rank 0
  double number = 0;
  DType dtype = DType::kF32;  // of the number
};

// A node as ONNX has it: what Fuselab keeps in attributes, it has as operands in places (see core/ops/op.h).
struct NodeForm {
  std::vector<FormOperand> operands;
  Attributes attributes;
  std::vector<std::string> texts;  // of a recurrence: its activations
};

// Fails with kUnsupported where ONNX has no such form.
Result<NodeForm> form_of(const Graph& graph, const Node& node);
// The version of the operator set that an operator needs.
int least_version(Op op);

}  // namespace fuselab::onnx_model
