// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace fuselab::detail {

// Reads and evaluates one DimFormula in a single pass. Formulas come from stored ABI records, so the text is untrusted:
// nesting is limited, every operation is checked for overflow, and nothing is looked up but `dims`.
//   sum     = product { ("+" | "-") product }
//   product = unary { ("*" | "/") unary }
//   unary   = "-" unary | primary
//   primary = integer | name | "(" sum ")" | ("ceil_div" | "min" | "max") "(" sum "," sum ")"
class DimFormulaParser {
 public:
  DimFormulaParser(std::string_view text, const std::map<std::string, std::int64_t>& dims) : text_(text), dims_(dims) {}

  Result<std::int64_t> parse();

 private:
  Result<std::int64_t> sum();
  Result<std::int64_t> product();
  Result<std::int64_t> unary();
  Result<std::int64_t> primary();
  Result<std::int64_t> integer();
  Result<std::int64_t> name_or_call();
  Result<std::int64_t> call(std::string_view function);

  void skip_space();
  bool accept(char expected);
  Error expected(std::string_view what) const;

  std::string_view text_;
  const std::map<std::string, std::int64_t>& dims_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace fuselab::detail
