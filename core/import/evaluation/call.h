// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/import/evaluation/array.h"

namespace fuselab::onnx {

class AttributeProto;
class NodeProto;
class TensorProto;

// One node that is being evaluated: its operands with their numbers, and its attributes as the file writes them.
class Call {
 public:
  Call(const NodeProto& node, int opset, std::vector<const Array*> operands)
      : node_(node), opset_(opset), operands_(std::move(operands)) {}

  const std::string& op() const;
  // The same node with other operands.
  Call with(std::vector<const Array*> operands) const { return {node_, opset_, std::move(operands)}; }
  int opset() const { return opset_; }
  std::size_t count() const { return operands_.size(); }
  int results() const;
  bool has(std::size_t i) const { return i < operands_.size() && operands_[i] != nullptr; }
  // Requires that the operand is there: see needs().
  const Array& in(std::size_t i) const { return *operands_[i]; }
  const Array* optional(std::size_t i) const { return has(i) ? operands_[i] : nullptr; }
  // Fails where one of the first `count` operands is absent.
  Status needs(std::size_t count) const;
  // Returns the numbers of an operand as integers; nothing where it is absent.
  std::optional<Extents> integers(std::size_t i) const;

  const AttributeProto* attribute(const std::string& name) const;
  std::int64_t integer(const std::string& name, std::int64_t otherwise) const;
  double real(const std::string& name, double otherwise) const;
  std::string text(const std::string& name, const std::string& otherwise) const;
  std::optional<Extents> list(const std::string& name) const;
  std::vector<double> reals(const std::string& name) const;
  std::vector<std::string> texts(const std::string& name) const;

 private:
  const NodeProto& node_;
  int opset_;
  std::vector<const Array*> operands_;
};

// Evaluates one operator, and returns its results in order. An operator of another domain than ONNX's own has it before its name.
using Evaluated = Result<std::vector<Array>>;
using Evaluate = Evaluated (*)(const Call& call);
using EvaluatorTable = std::unordered_map<std::string, Evaluate>;

// Reads the numbers that a tensor of the file holds itself.
// Fails where there are none, not as many as its extents say, or of a type without numbers.
Result<Array> array_of(const TensorProto& tensor);

// The operators by family. Each function adds its own to the table.
void add_elementwise(EvaluatorTable& table);
void add_constants(EvaluatorTable& table);
void add_movement(EvaluatorTable& table);
void add_indexed(EvaluatorTable& table);
void add_reductions(EvaluatorTable& table);
void add_products(EvaluatorTable& table);
void add_windows(EvaluatorTable& table);
void add_normalizations(EvaluatorTable& table);
void add_recurrences(EvaluatorTable& table);
void add_quantized(EvaluatorTable& table);
void add_integer_products(EvaluatorTable& table);
void add_contributed(EvaluatorTable& table);

// Returns the floating-point operations that a node takes, as far as they matter for the time.
double flops_of(const Call& call);

}  // namespace fuselab::onnx
