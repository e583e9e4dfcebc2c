// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "tuner/formats/python_expression.h"
#include "tuner/formats/python_tokens.h"

namespace fuselab::tuner {
namespace {

constexpr int kDeepestFormula = 64;

// sum = product { (+|-) product }; product = leaf { (*|//) leaf }; leaf = number, name, ProblemSize[i], max(name), ceil(a / b),
// "(" sum ")".
class FormulaTranslator {
 public:
  FormulaTranslator(std::vector<PythonToken> tokens, const std::vector<std::string>& problem,
                    const std::map<std::string, std::int64_t>& largest)
      : cursor_(std::move(tokens)), problem_(problem), largest_(largest) {}

  Result<std::string> run() {
    FL_TRY(auto text, sum());
    if (cursor_.now().kind != PythonToken::Kind::kEnd) return cursor_.unexpected("an operator or the end");
    return text;
  }

 private:
  Result<std::string> sum() {
    FL_TRY(auto text, product());
    while (cursor_.is("+") || cursor_.is("-")) {
      const std::string sign = cursor_.now().text;
      cursor_.skip();
      FL_TRY(const auto right, product());
      text += " " + sign + " " + right;
    }
    return text;
  }

  Result<std::string> product() {
    FL_TRY(auto text, leaf());
    while (cursor_.is("*") || cursor_.is("//")) {
      const std::string sign = cursor_.is("*") ? " * " : " / ";
      cursor_.skip();
      FL_TRY(const auto right, leaf());
      text += sign + right;
    }
    // What "/" leaves behind the point would be lost; ceil(a / b) says what becomes of it.
    if (cursor_.is("/") && !in_ceil_) return cursor_.unexpected("an integer operator (+ - * //), or ceil(a / b)");
    return text;
  }

  Result<std::string> leaf() {
    const PythonToken token = cursor_.now();
    if (token.kind == PythonToken::Kind::kNumber) return cursor_.skip(), token.text;
    if (++depth_ > kDeepestFormula) return cursor_.unexpected("less nesting");
    Result<std::string> text = token.kind == PythonToken::Kind::kWord ? named(token.text) : bracketed();
    --depth_;
    return text;
  }

  Result<std::string> bracketed() {
    if (!cursor_.accept("(")) return cursor_.unexpected("a number, a name or '('");
    FL_TRY(const auto inner, sum());
    if (!cursor_.accept(")")) return cursor_.unexpected("')'");
    return "(" + inner + ")";
  }

  Result<std::string> named(const std::string& name) {
    cursor_.skip();
    if (name == "ProblemSize") return problem();
    if (name == "max" || name == "ceil") return called(name);
    return name;
  }

  Result<std::string> problem() {
    if (!cursor_.accept("[")) return cursor_.unexpected("'['");
    const PythonToken index = cursor_.now();
    if (index.kind != PythonToken::Kind::kNumber || index.number < 0 || index.number >= static_cast<std::int64_t>(problem_.size()))
      return cursor_.unexpected("an axis of ProblemSize");
    cursor_.skip();
    if (!cursor_.accept("]")) return cursor_.unexpected("']'");
    return "(" + problem_[static_cast<std::size_t>(index.number)] + ")";
  }

  // max(name) is the largest value of a parameter; ceil(a / b) rounds up.
  Result<std::string> called(const std::string& function) {
    if (!cursor_.accept("(")) return cursor_.unexpected("'('");
    std::string text;
    if (function == "max") {
      const auto value = largest_.find(cursor_.now().text);
      if (value == largest_.end()) return cursor_.unexpected("a parameter of integers");
      cursor_.skip();
      text = std::to_string(value->second);
    } else {
      const bool outer = std::exchange(in_ceil_, true);
      FL_TRY(const auto dividend, leaf());
      in_ceil_ = outer;
      if (!cursor_.accept("/")) return cursor_.unexpected("'/'");
      FL_TRY(const auto divisor, leaf());
      text = "ceil_div(" + dividend + ", " + divisor + ")";
    }
    if (!cursor_.accept(")")) return cursor_.unexpected("')'");
    return text;
  }

  PythonCursor cursor_;
  const std::vector<std::string>& problem_;
  const std::map<std::string, std::int64_t>& largest_;
  int depth_ = 0;
  bool in_ceil_ = false;
};

}  // namespace

Result<std::string> translate_python_formula(std::string_view text, const std::vector<std::string>& problem,
                                             const std::map<std::string, std::int64_t>& largest) {
  FL_TRY(auto tokens, python_tokens(text));
  return FormulaTranslator(std::move(tokens), problem, largest).run();
}

}  // namespace fuselab::tuner
