// SPDX-License-Identifier: Apache-2.0
#include "tuner/formats/python_expression.h"
#include "tuner/formats/python_tokens.h"

namespace fuselab::tuner {
namespace {

constexpr int kMaxDepth = 64;
constexpr std::string_view kComparisons[] = {"<=", ">=", "==", "!=", "<", ">"};

// Rewrites while it parses: each level returns text whose operators are parenthesised where Python and C differ.
class ConditionTranslator {
 public:
  explicit ConditionTranslator(std::vector<PythonToken> tokens) : cursor_(std::move(tokens)) {}

  Result<std::string> run() {
    FL_TRY(auto text, disjunction());
    if (cursor_.now().kind != PythonToken::Kind::kEnd) return cursor_.unexpected("an operator or the end");
    return text;
  }

 private:
  Result<std::string> disjunction() {
    FL_TRY(auto text, conjunction());
    while (cursor_.accept("or")) {
      FL_TRY(const auto right, conjunction());
      text += " || " + right;
    }
    return text;
  }

  Result<std::string> conjunction() {
    FL_TRY(auto text, negation());
    while (cursor_.accept("and")) {
      FL_TRY(const auto right, negation());
      text += " && " + right;
    }
    return text;
  }

  Result<std::string> negation() {
    if (!cursor_.accept("not")) return comparison();
    if (++depth_ > kMaxDepth) return cursor_.unexpected("less nesting");
    FL_TRY(const auto operand, negation());
    --depth_;
    return "(" + operand + ") == 0";
  }

  // a < b <= c is a < b && b <= c.
  Result<std::string> comparison() {
    FL_TRY(auto left, arithmetic());
    std::string text;
    while (const auto sign = accepted_comparison()) {
      FL_TRY(auto right, arithmetic());
      text += (text.empty() ? "" : " && ") + left + " " + std::string(*sign) + " " + right;
      left = std::move(right);
    }
    return text.empty() ? left : text;
  }

  const std::string_view* accepted_comparison() {
    for (const auto& sign : kComparisons) {
      if (cursor_.accept(sign)) return &sign;
    }
    return nullptr;
  }

  Result<std::string> arithmetic() {
    FL_TRY(auto text, leaf());
    while (true) {
      std::string sign;
      for (const std::string_view known : {"+", "-", "*", "//", "%"}) {
        if (cursor_.accept(known)) sign = known == "//" ? "/" : known;
      }
      if (sign.empty()) break;
      FL_TRY(const auto right, leaf());
      text += " " + sign + " " + right;
    }
    if (cursor_.is("/") || cursor_.is("**")) return cursor_.unexpected("an integer operator (+ - * // %)");
    return text;
  }

  Result<std::string> leaf() {
    const PythonToken token = cursor_.now();
    if (token.kind == PythonToken::Kind::kNumber) return cursor_.skip(), token.text;
    if (token.kind == PythonToken::Kind::kWord) {
      cursor_.skip();
      if (token.text == "True") return std::string("1");
      if (token.text == "False") return std::string("0");
      return token.text;
    }
    if (++depth_ > kMaxDepth) return cursor_.unexpected("less nesting");
    if (cursor_.accept("-")) {
      FL_TRY(const auto operand, leaf());
      --depth_;
      return "-" + operand;
    }
    if (!cursor_.accept("(")) return cursor_.unexpected("a number, a name or '('");
    FL_TRY(const auto inner, disjunction());
    if (!cursor_.accept(")")) return cursor_.unexpected("')'");
    --depth_;
    return "(" + inner + ")";
  }

  PythonCursor cursor_;
  int depth_ = 0;
};

}  // namespace

Result<std::string> translate_python_condition(std::string_view text) {
  FL_TRY(auto tokens, python_tokens(text));
  return ConditionTranslator(std::move(tokens)).run();
}

}  // namespace fuselab::tuner
