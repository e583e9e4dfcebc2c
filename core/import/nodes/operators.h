// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/reader/node_import.h"

// An operator of ONNX is one row, in the file of its family.
namespace fuselab::onnx {

// The operands of an operator. Those that our operator of the same name needs must be there in any case.
struct Operands {
  static constexpr std::size_t kAnyNumber = static_cast<std::size_t>(-1);

  std::size_t least = 0;
  std::size_t most = kAnyNumber;  // any number: the translator says how many are too many
  bool has_gaps = false;          // those beyond the least may be left out in the middle

  static constexpr Operands exactly(std::size_t count) { return {count, count}; }
  static constexpr Operands between(std::size_t least, std::size_t most) { return {least, most}; }
  static constexpr Operands at_least(std::size_t least) { return {least}; }
  static constexpr Operands gaps_beyond(std::size_t least) { return {least, kAnyNumber, true}; }
};

struct OperatorRow {
  std::string_view name;  // in ONNX, behind its domain where that is another one: "com.microsoft.BiasGelu"
  Result<Translated> (*translate)(NodeImport&);
  std::string_view attributes = "";  // by opset: see node_attributes.h
  Operands operands = {};
};

using Rows = std::span<const OperatorRow>;

// The rows of each family. An operator of a known family is added to its file; a new family is added here and in operators.cpp.
Rows activation_rows();
Rows arrangement_rows();
Rows attention_rows();
Rows body_rows();
Rows contributed_rows();
Rows dropout_rows();
Rows elementwise_rows();
Rows indexed_rows();
Rows integer_product_rows();
Rows leaf_rows();
Rows movement_rows();
Rows normalization_rows();
Rows product_rows();
Rows quantization_rows();
Rows recurrence_rows();
Rows reduction_rows();
Rows resize_rows();
Rows row_operator_rows();
Rows statistics_rows();
Rows transposed_conv_rows();
Rows window_rows();

// Returns the rows of all families.
std::vector<OperatorRow> all_operators();
// Returns null when the operator is not known.
const OperatorRow* find_operator(std::string_view name);

// Returns the row of a node's operator; null when it is not known.
const OperatorRow* row_of(const NodeProto& node);

// Returns the node's attributes, as the row of its operator has them. `unknown` is set to the name of one that cannot be read.
Attributes attributes_by_row(const NodeImport& node, std::string& unknown);

// Translates an operator whose operands and attributes are the same in ONNX and here.
Result<Translated> translate_direct(NodeImport& node);

}  // namespace fuselab::onnx
