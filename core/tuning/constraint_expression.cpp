// SPDX-License-Identifier: Apache-2.0
#include "core/tuning/constraint_expression.h"

#include <algorithm>
#include <limits>

#include "core/base/ascii.h"

namespace fuselab {
namespace {

constexpr std::size_t kMaxLength = 4096;  // also bounds the recursion of parser and evaluator
constexpr int kMaxDepth = 128;

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
}  // namespace

// Precedence climbing over the text itself: there is no token list to get out of step with the columns.
class ConstraintParser {
 public:
  explicit ConstraintParser(std::string_view text) : text_(text) {}

  Result<ConstraintExpression> run() {
    if (text_.size() > kMaxLength) return invalid_argument("expression longer than 4096 characters");
    FL_TRY(std::size_t root, parse_or());
    skip_space();
    if (at_ < text_.size()) return unexpected("an operator or the end");
    // Children are always appended before their parents, so the root is last already.
    FL_ASSERT(root + 1 == out_.nodes_.size());
    return std::move(out_);
  }

 private:
  using Expression = ConstraintExpression;
  using Operator = Expression::Operator;

  struct Spelling {
    std::string_view text;
    Operator op;
  };

  Result<std::size_t> parse_or() {
    return parse_chain({{{"||", Operator::kOr}}}, [this] { return parse_and(); });
  }
  Result<std::size_t> parse_and() {
    return parse_chain({{{"&&", Operator::kAnd}}}, [this] { return parse_comparison(); });
  }
  Result<std::size_t> parse_sum() {
    return parse_chain({{{"+", Operator::kAdd}, {"-", Operator::kSubtract}}}, [this] { return parse_product(); });
  }
  Result<std::size_t> parse_product() {
    return parse_chain({{{"*", Operator::kMultiply}, {"/", Operator::kDivide}, {"%", Operator::kRemainder}}},
                       [this] { return parse_unary(); });
  }

  Result<std::size_t> parse_comparison() {
    static const std::vector<Spelling> kComparisons = {{"<=", Operator::kLessEqual}, {">=", Operator::kGreaterEqual},
                                                       {"==", Operator::kEqual},     {"!=", Operator::kNotEqual},
                                                       {"<", Operator::kLess},       {">", Operator::kGreater}};
    FL_TRY(std::size_t left, parse_sum());
    const auto* spelling = accept_one_of(kComparisons);
    if (spelling == nullptr) return left;
    FL_TRY(std::size_t right, parse_sum());
    const std::size_t compared = add({spelling->op, 0, left, right});
    const std::size_t before = at_;
    if (accept_one_of(kComparisons) != nullptr) {
      at_ = before;
      return error("a chained comparison is ambiguous, join two with &&");
    }
    return compared;
  }

  Result<std::size_t> parse_unary() {
    skip_space();
    if (at_ < text_.size() && text_[at_] == '-') {
      ++at_;
      if (++depth_ > kMaxDepth) return error("nested deeper than 128 levels");
      FL_TRY(std::size_t operand, parse_unary());
      --depth_;
      return add({Operator::kNegate, 0, operand, 0});
    }
    return parse_leaf();
  }

  Result<std::size_t> parse_leaf() {
    skip_space();
    if (at_ == text_.size()) return unexpected("a number, a parameter or '('");
    const char c = text_[at_];
    if (is_digit(c)) return parse_number();
    if (is_name_start(c)) return parse_name();
    if (c != '(') return unexpected("a number, a parameter or '('");
    ++at_;
    if (++depth_ > kMaxDepth) return error("nested deeper than 128 levels");
    FL_TRY(std::size_t inner, parse_or());
    --depth_;
    skip_space();
    if (at_ == text_.size() || text_[at_] != ')') return unexpected("')'");
    ++at_;
    return inner;
  }

  Result<std::size_t> parse_number() {
    std::int64_t value = 0;
    const std::size_t start = at_;
    for (; at_ < text_.size() && is_digit(text_[at_]); ++at_) {
      if (__builtin_mul_overflow(value, std::int64_t{10}, &value) ||
          __builtin_add_overflow(value, std::int64_t{text_[at_] - '0'}, &value)) {
        at_ = start;
        return error("the number does not fit 64 bits");
      }
    }
    if (at_ < text_.size() && (is_name_start(text_[at_]) || text_[at_] == '.'))
      return unexpected("an operator (numbers are integers)");
    return add({Operator::kLiteral, value, 0, 0});
  }

  Result<std::size_t> parse_name() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (is_name_start(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string name(text_.substr(start, at_ - start));
    auto found = std::find(out_.names_.begin(), out_.names_.end(), name);
    if (found == out_.names_.end()) found = out_.names_.insert(out_.names_.end(), name);
    return add({Operator::kName, found - out_.names_.begin(), 0, 0});
  }

  // operand (operator operand)*, left-associative.
  template <typename Next>
  Result<std::size_t> parse_chain(const std::vector<Spelling>& spellings, Next next) {
    FL_TRY(std::size_t left, next());
    while (const auto* spelling = accept_one_of(spellings)) {
      FL_TRY(std::size_t right, next());
      left = add({spelling->op, 0, left, right});
    }
    return left;
  }

  const Spelling* accept_one_of(const std::vector<Spelling>& spellings) {
    skip_space();
    for (const auto& spelling : spellings) {
      if (text_.substr(at_, spelling.text.size()) == spelling.text) {
        at_ += spelling.text.size();
        return &spelling;
      }
    }
    return nullptr;
  }

  std::size_t add(Expression::Node node) {
    out_.nodes_.push_back(node);
    return out_.nodes_.size() - 1;
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }

  Error error(std::string_view what) const {
    return invalid_argument("'" + std::string(text_.substr(0, 200)) + "', column " + std::to_string(at_ + 1) + ": " +
                            std::string(what));
  }
  Error unexpected(std::string_view wanted) const {
    const std::string found = at_ < text_.size() ? "'" + std::string(1, text_[at_]) + "'" : "the end";
    return error("expected " + std::string(wanted) + ", found " + found);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  ConstraintExpression out_;
};

Result<ConstraintExpression> ConstraintExpression::parse(std::string_view text) {
  return ConstraintParser(text).run();
}

Result<std::int64_t> ConstraintExpression::evaluate(std::span<const std::int64_t> values) const {
  FL_ASSERT(values.size() == names_.size());
  std::int64_t result = 0;
  std::string_view problem;
  if (!evaluate_node(nodes_.size() - 1, values, result, problem)) return invalid_argument(std::string(problem));
  return result;
}

bool ConstraintExpression::evaluate_node(std::size_t index, std::span<const std::int64_t> values, std::int64_t& result,
                                         std::string_view& problem) const {
  const Node& node = nodes_[index];
  if (node.op == Operator::kLiteral) return result = node.value, true;
  if (node.op == Operator::kName) return result = values[static_cast<std::size_t>(node.value)], true;

  std::int64_t left = 0;
  if (!evaluate_node(node.left, values, left, problem)) return false;
  if (node.op == Operator::kAnd && left == 0) return result = 0, true;
  if (node.op == Operator::kOr && left != 0) return result = 1, true;
  std::int64_t right = 0;
  if (node.op != Operator::kNegate && !evaluate_node(node.right, values, right, problem)) return false;

  bool overflow = false;
  switch (node.op) {
    case Operator::kNegate: overflow = __builtin_sub_overflow(std::int64_t{0}, left, &result); break;
    case Operator::kMultiply: overflow = __builtin_mul_overflow(left, right, &result); break;
    case Operator::kAdd: overflow = __builtin_add_overflow(left, right, &result); break;
    case Operator::kSubtract: overflow = __builtin_sub_overflow(left, right, &result); break;
    case Operator::kDivide:
    case Operator::kRemainder:
      if (right == 0) return problem = "division by zero", false;
      overflow = right == -1 && left == std::numeric_limits<std::int64_t>::min();
      if (!overflow) result = node.op == Operator::kDivide ? left / right : left % right;
      break;
    case Operator::kLess: result = left < right; break;
    case Operator::kLessEqual: result = left <= right; break;
    case Operator::kGreater: result = left > right; break;
    case Operator::kGreaterEqual: result = left >= right; break;
    case Operator::kEqual: result = left == right; break;
    case Operator::kNotEqual: result = left != right; break;
    case Operator::kAnd:
    case Operator::kOr: result = right != 0; break;
    case Operator::kLiteral:
    case Operator::kName: break;
  }
  if (overflow) problem = "64-bit overflow";
  return !overflow;
}

}  // namespace fuselab
