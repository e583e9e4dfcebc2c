// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/dim_formula_parser.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

namespace fuselab::detail {
namespace {

constexpr int kMaxDepth = 64;

Error overflow() {
  return invalid_argument("the value leaves 64 bits");
}

Result<std::int64_t> divided(std::int64_t a, std::int64_t b) {
  if (b == 0) return invalid_argument("division by zero");
  if (a == std::numeric_limits<std::int64_t>::min() && b == -1) return overflow();
  return a / b;
}

Result<std::int64_t> apply(char op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool overflowed = false;
  switch (op) {
    case '+': overflowed = __builtin_add_overflow(a, b, &result); break;
    case '-': overflowed = __builtin_sub_overflow(a, b, &result); break;
    case '*': overflowed = __builtin_mul_overflow(a, b, &result); break;
    default: return divided(a, b);
  }
  if (overflowed) return overflow();
  return result;
}

// Rounds towards +infinity for any signs, as a count of tiles must.
Result<std::int64_t> ceil_div(std::int64_t a, std::int64_t b) {
  FL_TRY(std::int64_t quotient, divided(a, b));
  const bool same_sign = (a >= 0) == (b >= 0);
  return a % b != 0 && same_sign ? quotient + 1 : quotient;
}

bool is_name_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

}  // namespace

Result<std::int64_t> DimFormulaParser::parse() {
  FL_TRY(std::int64_t value, sum());
  skip_space();
  if (at_ != text_.size()) return expected("an operator or the end");
  return value;
}

Result<std::int64_t> DimFormulaParser::sum() {
  FL_TRY(std::int64_t value, product());
  while (true) {
    const char op = accept('+') ? '+' : accept('-') ? '-' : '\0';
    if (op == '\0') return value;
    FL_TRY(std::int64_t right, product());
    FL_TRY(value, apply(op, value, right));
  }
}

Result<std::int64_t> DimFormulaParser::product() {
  FL_TRY(std::int64_t value, unary());
  while (true) {
    const char op = accept('*') ? '*' : accept('/') ? '/' : '\0';
    if (op == '\0') return value;
    FL_TRY(std::int64_t right, unary());
    FL_TRY(value, apply(op, value, right));
  }
}

Result<std::int64_t> DimFormulaParser::unary() {
  if (++depth_ > kMaxDepth) return invalid_argument("nested deeper than " + std::to_string(kMaxDepth) + " levels");
  const bool negative = accept('-');
  FL_TRY(std::int64_t value, negative ? unary() : primary());
  --depth_;
  if (negative) return apply('-', 0, value);
  return value;
}

Result<std::int64_t> DimFormulaParser::primary() {
  if (accept('(')) {
    FL_TRY(std::int64_t value, sum());
    if (!accept(')')) return expected("')'");
    return value;
  }
  skip_space();
  if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) return integer();
  if (at_ < text_.size() && is_name_start(text_[at_])) return name_or_call();
  return expected("a number, a dimension, a function or '('");
}

Result<std::int64_t> DimFormulaParser::integer() {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
  if (error != std::errc()) return overflow();
  at_ = static_cast<std::size_t>(end - text_.data());
  return value;
}

Result<std::int64_t> DimFormulaParser::name_or_call() {
  const std::size_t begin = at_;
  while (at_ < text_.size() && (is_name_start(text_[at_]) || std::isdigit(static_cast<unsigned char>(text_[at_])) != 0)) ++at_;
  const std::string_view name = text_.substr(begin, at_ - begin);
  if (accept('(')) return call(name);
  const auto found = dims_.find(std::string(name));
  if (found != dims_.end()) return found->second;
  std::string known;
  for (const auto& [dim, extent] : dims_) known += (known.empty() ? "" : ", ") + dim;
  return invalid_argument("unknown dimension '" + std::string(name) + "'; known: " + (known.empty() ? "none" : known));
}

Result<std::int64_t> DimFormulaParser::call(std::string_view function) {
  FL_TRY(std::int64_t a, sum());
  if (!accept(',')) return expected("','");
  FL_TRY(std::int64_t b, sum());
  if (!accept(')')) return expected("')'");
  if (function == "ceil_div") return ceil_div(a, b);
  if (function == "min") return std::min(a, b);
  if (function == "max") return std::max(a, b);
  return invalid_argument("unknown function '" + std::string(function) + "'; known: ceil_div, min, max");
}

void DimFormulaParser::skip_space() {
  while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
}

bool DimFormulaParser::accept(char wanted) {
  skip_space();
  if (at_ >= text_.size() || text_[at_] != wanted) return false;
  ++at_;
  return true;
}

Error DimFormulaParser::expected(std::string_view what) const {
  const std::string found = at_ < text_.size() ? "'" + std::string(1, text_[at_]) + "'" : "the end";
  return invalid_argument("expected " + std::string(what) + " at column " + std::to_string(at_ + 1) + ", got " + found);
}

}  // namespace fuselab::detail
