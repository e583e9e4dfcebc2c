// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "tuner/formats/python_expression.h"
#include "tuner/formats/python_tokens.h"

namespace fuselab::tuner {
namespace {

constexpr std::size_t kMaxValues = 65536;
constexpr int kMaxNesting = 64;

using Values = std::vector<ParameterValue>;

class ValuesParser {
 public:
  explicit ValuesParser(std::vector<PythonToken> tokens) : cursor_(std::move(tokens)) {}

  Result<Values> run() {
    Values all;
    do {
      FL_TRY(const auto term, list());
      if (unknown_name_ && !variable_) return invalid_argument("unknown name '" + *unknown_name_ + "'");
      all.insert(all.end(), term.begin(), term.end());
      if (all.size() > kMaxValues) return invalid_argument("more than 65536 values");
    } while (cursor_.accept("+"));
    if (cursor_.now().kind != PythonToken::Kind::kEnd) return cursor_.unexpected("'+' or the end");
    return all;
  }

 private:
  Result<Values> list() {
    if (cursor_.accept("list")) {
      if (!cursor_.accept("(")) return cursor_.unexpected("'('");
      FL_TRY(const auto numbers, range());
      if (!cursor_.accept(")")) return cursor_.unexpected("')'");
      return Values(numbers.begin(), numbers.end());
    }
    if (!cursor_.accept("[")) return cursor_.unexpected("a list");
    Values values;
    while (!cursor_.accept("]")) {
      const std::size_t begin = cursor_.position();
      unknown_name_.reset();
      FL_TRY(auto value, item());
      if (values.empty() && cursor_.is("for")) return comprehension(begin);
      if (unknown_name_) return invalid_argument("unknown name '" + *unknown_name_ + "'");
      values.push_back(std::move(value));
      if (!cursor_.is("]") && !cursor_.accept(",")) return cursor_.unexpected("',' or ']'");
    }
    return values;
  }

  Result<ParameterValue> item() {
    if (cursor_.now().kind == PythonToken::Kind::kString) {
      ParameterValue word = cursor_.now().text;
      cursor_.skip();
      return word;
    }
    FL_TRY(const auto value, sum());
    return ParameterValue(value);
  }

  // "expression for name in range(…)]", the expression read once to find its end and once per value of the name.
  Result<Values> comprehension(std::size_t begin) {
    cursor_.skip();
    const std::string name = cursor_.now().text;
    if (cursor_.now().kind != PythonToken::Kind::kWord) return cursor_.unexpected("a name");
    cursor_.skip();
    if (!cursor_.accept("in")) return cursor_.unexpected("'in'");
    FL_TRY(const auto numbers, range());
    if (!cursor_.accept("]")) return cursor_.unexpected("']'");
    const std::size_t end = cursor_.position();
    Values values;
    variable_ = name;
    for (const auto number : numbers) {
      cursor_.go_back(begin);
      variable_value_ = number;
      FL_TRY(auto value, item());
      values.push_back(std::move(value));
    }
    variable_.reset();
    unknown_name_.reset();
    cursor_.go_back(end);
    return values;
  }

  Result<std::vector<std::int64_t>> range() {
    if (!cursor_.accept("range") || !cursor_.accept("(")) return cursor_.unexpected("'range('");
    std::vector<std::int64_t> arguments;
    do {
      FL_TRY(const auto argument, sum());
      arguments.push_back(argument);
    } while (cursor_.accept(","));
    if (!cursor_.accept(")")) return cursor_.unexpected("')'");
    if (arguments.size() > 3) return invalid_argument("range takes at most three arguments");
    const std::int64_t begin = arguments.size() > 1 ? arguments[0] : 0;
    const std::int64_t end = arguments.size() > 1 ? arguments[1] : arguments[0];
    const std::int64_t step = arguments.size() > 2 ? arguments[2] : 1;
    if (step <= 0) return invalid_argument("only ranges that go up are read");
    std::vector<std::int64_t> numbers;
    for (std::int64_t value = begin; value < end; value += step) {
      numbers.push_back(value);
      if (numbers.size() > kMaxValues || value > end - step) break;
    }
    return numbers;
  }

  Result<std::int64_t> sum() {
    FL_TRY(std::int64_t value, product());
    while (cursor_.is("+") || cursor_.is("-")) {
      const bool plus = cursor_.accept("+");
      if (!plus) cursor_.skip();
      FL_TRY(const std::int64_t right, product());
      if (plus ? __builtin_add_overflow(value, right, &value) : __builtin_sub_overflow(value, right, &value)) return overflow();
    }
    return value;
  }

  Result<std::int64_t> product() {
    FL_TRY(std::int64_t value, power());
    while (true) {
      if (cursor_.accept("*")) {
        FL_TRY(const std::int64_t right, power());
        if (__builtin_mul_overflow(value, right, &value)) return overflow();
      } else if (cursor_.accept("//")) {
        FL_TRY(const std::int64_t right, power());
        if (right <= 0 || value < 0) return invalid_argument("only natural numbers are divided");
        value /= right;
      } else {
        return value;
      }
    }
  }

  Result<std::int64_t> power() {
    FL_TRY(const std::int64_t base, leaf());
    if (!cursor_.accept("**")) return base;
    FL_TRY(const std::int64_t exponent, leaf());
    std::int64_t value = 1;
    if (exponent < 0 || exponent > 62) return overflow();
    for (std::int64_t i = 0; i < exponent; ++i) {
      if (__builtin_mul_overflow(value, base, &value)) return overflow();
    }
    return value;
  }

  Result<std::int64_t> leaf() {
    const PythonToken token = cursor_.now();
    if (token.kind == PythonToken::Kind::kNumber) return cursor_.skip(), token.number;
    if (token.kind == PythonToken::Kind::kWord) {
      if (token.text == "True" || token.text == "False") return cursor_.skip(), std::int64_t{token.text == "True"};
      if (variable_ && token.text != *variable_) return cursor_.unexpected("'" + *variable_ + "'");
      // A comprehension's expression is read once before its name is known: the value does not matter then.
      if (!variable_) unknown_name_ = token.text;
      return cursor_.skip(), variable_ ? variable_value_ : 1;
    }
    if (++depth_ > kMaxNesting) return invalid_argument("nested deeper than 64 levels");
    if (cursor_.accept("-")) {
      FL_TRY(const std::int64_t value, leaf());
      --depth_;
      return -value;
    }
    if (!cursor_.accept("(")) return cursor_.unexpected("a number");
    FL_TRY(const std::int64_t value, sum());
    if (!cursor_.accept(")")) return cursor_.unexpected("')'");
    --depth_;
    return value;
  }

  static Error overflow() { return invalid_argument("64-bit overflow"); }

  PythonCursor cursor_;
  std::optional<std::string> variable_;
  std::int64_t variable_value_ = 0;
  std::optional<std::string> unknown_name_;
  int depth_ = 0;
};

}  // namespace

Result<std::vector<ParameterValue>> parse_python_values(std::string_view text) {
  FL_TRY(auto tokens, python_tokens(text));
  return ValuesParser(std::move(tokens)).run();
}

}  // namespace fuselab::tuner
