// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace fuselab {

// A parsed rule over named integers, evaluated as C would on int64 with overflow and division by zero as errors:
//   integers, names, + - * / %, < <= > >= == !=, && || (short-circuit), unary -, parentheses. True is 1, false is 0.
// A chained comparison ("1 <= a <= 8") means different things in C and Python and is refused. Text is untrusted: at most
// 4096 characters. A value type; evaluation is const and allocates nothing.
class ConstraintExpression {
 public:
  // Fails with the column and what was expected.
  static Result<ConstraintExpression> parse(std::string_view text);

  const std::vector<std::string>& names() const { return names_; }  // in order of first use, each once
  // `values[i]` belongs to names()[i].
  Result<std::int64_t> evaluate(std::span<const std::int64_t> values) const;

 private:
  friend class ConstraintParser;

  enum class Operator : std::uint8_t {
    kLiteral,
    kName,
    kNegate,
    kMultiply,
    kDivide,
    kRemainder,
    kAdd,
    kSubtract,
    kLess,
    kLessEqual,
    kGreater,
    kGreaterEqual,
    kEqual,
    kNotEqual,
    kAnd,
    kOr,
  };
  // A node of the expression. Operands are indices into nodes_; a leaf keeps its literal or its index into names_ in `value`.
  struct Node {
    Operator op = Operator::kLiteral;
    std::int64_t value = 0;
    std::size_t left = 0;
    std::size_t right = 0;
  };

  // Returns false when the arithmetic failed; `problem` then says how.
  bool evaluate_node(std::size_t index, std::span<const std::int64_t> values, std::int64_t& result,
                     std::string_view& problem) const;

  std::vector<Node> nodes_;  // the last one is the root
  std::vector<std::string> names_;
};

}  // namespace fuselab
