// SPDX-License-Identifier: Apache-2.0
#include "core/extents/formula.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace fuselab {
namespace {

// Bounds of a formula: real models stay far below, and what a stranger writes costs little.
constexpr std::size_t kMostTerms = 32, kLongest = 256, kMostFactors = 8, kLongestSymbol = 64;
constexpr int kDeepest = 16;
constexpr std::int64_t kMostDivisor = std::int64_t{1} << 31;

bool is_quotient(const std::string& factor) {
  return factor.find('/') != std::string::npos;
}

class FormulaParser {
 public:
  explicit FormulaParser(std::string_view text) : text_(text) {}

  std::optional<Formula> parse() {
    if (text_.size() > kLongest) return std::nullopt;
    auto formula = parse_sum();
    if (!formula || at_ != text_.size() || formula->is_broken()) return std::nullopt;
    return formula;
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }

  bool accept(char expected) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != expected) return false;
    ++at_;
    skip_space();
    return true;
  }

  std::optional<std::int64_t> parse_number() {
    std::int64_t number = 0;
    const auto [end, code] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
    if (code != std::errc() || text_[at_] == '-') return std::nullopt;
    at_ = static_cast<std::size_t>(end - text_.data());
    skip_space();
    return number;
  }

  std::optional<Formula> parse_factor() {
    if (accept('(')) {
      if (++depth_ > kDeepest) return std::nullopt;
      auto inner = parse_sum();
      --depth_;
      return inner && accept(')') ? inner : std::nullopt;
    }
    std::size_t end = at_;
    while (end < text_.size() && is_symbol_name(text_.substr(at_, end + 1 - at_))) ++end;
    if (end > at_) {
      auto name = Formula::of_factor(std::string(text_.substr(at_, end - at_)));
      at_ = end;
      skip_space();
      return name;
    }
    const auto number = at_ < text_.size() ? parse_number() : std::nullopt;
    return number ? std::optional<Formula>(Formula(*number)) : std::nullopt;
  }

  std::optional<Formula> parse_product() {
    auto result = parse_factor();
    while (result && !result->is_broken()) {
      if (accept('*')) {
        const auto next = parse_factor();
        if (!next) return std::nullopt;
        result = result->times(*next);
      } else if (accept('/')) {
        const auto divisor = at_ < text_.size() ? parse_number() : std::nullopt;
        if (!divisor || *divisor < 1 || *divisor > kMostDivisor) return std::nullopt;
        result = result->over(*divisor);
      } else {
        break;
      }
    }
    return result;
  }

  std::optional<Formula> parse_sum() {
    Formula result;
    bool minus = accept('-');
    while (true) {
      const auto next = parse_product();
      if (!next) return std::nullopt;
      result.add(*next, minus ? -1 : 1);
      if (result.is_broken()) return std::nullopt;
      if (accept('+')) {
        minus = false;
      } else if (accept('-')) {
        minus = true;
      } else {
        return result;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

// A quotient's sum and number; its text ends with the number.
std::optional<std::pair<Formula, std::int64_t>> taken_apart(const std::string& quotient) {
  const std::size_t slash = quotient.rfind('/');
  std::int64_t divisor = 0;
  std::from_chars(quotient.data() + slash + 1, quotient.data() + quotient.size(), divisor);
  auto inner = Formula::parse(std::string_view(quotient).substr(0, slash));
  if (!inner) return std::nullopt;
  return std::pair(std::move(*inner), divisor);
}

}  // namespace

bool is_symbol_name(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && name.size() <= kLongestSymbol && letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

Formula Formula::of_factor(std::string factor) {
  Formula formula;
  formula.add_term({std::move(factor)}, 1);
  return formula;
}

std::optional<Formula> Formula::parse(std::string_view text) {
  return FormulaParser(text).parse();
}

std::optional<std::int64_t> Formula::number() const {
  if (terms_.empty()) return 0;
  if (terms_.size() == 1 && terms_.begin()->first.empty()) return terms_.begin()->second;
  return std::nullopt;
}

std::optional<std::string> Formula::name() const {
  std::string name = broken_ ? "" : text();
  // What is written can be read again.
  int depth = 0, deepest = 0;
  for (const char c : name) {
    if (c == '(') deepest = std::max(deepest, ++depth);
    if (c == ')') --depth;
  }
  return broken_ || name.size() > kLongest || deepest > kDeepest ? std::nullopt : std::optional<std::string>(std::move(name));
}

void Formula::add_symbols(std::set<std::string>& symbols) const {
  for (const auto& [factors, number] : terms_) {
    for (const std::string& factor : factors) {
      const auto quotient = is_quotient(factor) ? taken_apart(factor) : std::nullopt;
      if (quotient) {
        quotient->first.add_symbols(symbols);
      } else {
        symbols.insert(factor);
      }
    }
  }
}

void Formula::add_term(Factors factors, std::int64_t number) {
  if (factors.size() > kMostFactors) broken_ = true;
  const auto term = terms_.try_emplace(std::move(factors)).first;
  if (__builtin_add_overflow(term->second, number, &term->second) || term->second == INT64_MIN) broken_ = true;
  if (term->second == 0) terms_.erase(term);
  if (terms_.size() > kMostTerms) broken_ = true;
}

void Formula::add(const Formula& other, std::int64_t times) {
  broken_ = broken_ || other.broken_;
  for (const auto& [factors, number] : other.terms_) {
    std::int64_t scaled = 0;
    if (__builtin_mul_overflow(number, times, &scaled)) broken_ = true;
    add_term(factors, scaled);
  }
}

Formula Formula::times(const Formula& other) const {
  Formula result;
  result.broken_ = broken_ || other.broken_;
  for (const auto& [left, a] : terms_) {
    for (const auto& [right, b] : other.terms_) {
      Factors factors;
      std::merge(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(factors));
      std::int64_t number = 0;
      if (__builtin_mul_overflow(a, b, &number)) result.broken_ = true;
      if (result.broken_) return result;
      result.add_term(std::move(factors), number);
    }
  }
  return result;
}

std::optional<Formula> Formula::over(const Formula& divisor) const {
  if (divisor.terms_.size() != 1) return std::nullopt;
  const auto& [factors, by] = *divisor.terms_.begin();
  Formula result;
  result.broken_ = broken_ || divisor.broken_;
  for (const auto& [own, number] : terms_) {
    if (number % by != 0 || !std::includes(own.begin(), own.end(), factors.begin(), factors.end())) return std::nullopt;
    Factors left;
    std::set_difference(own.begin(), own.end(), factors.begin(), factors.end(), std::back_inserter(left));
    result.add_term(std::move(left), number / by);
  }
  return result;
}

// What divides evenly comes out of the quotient, and a quotient of a quotient is one: ((h+1)/2+1)/2 is (h+3)/4.
Formula Formula::over(std::int64_t divisor) const {
  if (divisor == 1) return *this;
  Formula outside, inside;
  outside.broken_ = broken_ || divisor > kMostDivisor;
  if (outside.broken_) return outside;
  for (const auto& [factors, number] : terms_) {
    const std::int64_t left = factors.empty() ? (number % divisor + divisor) % divisor : number % divisor == 0 ? 0 : number;
    std::int64_t whole = 0;
    if (__builtin_sub_overflow(number, left, &whole)) outside.broken_ = true;
    outside.add_term(factors, whole / divisor);
    if (left != 0) inside.add_term(factors, left);
  }
  if (inside.number()) return outside;  // less than the divisor
  const bool has_number = inside.terms_.contains({});
  const auto& [factors, times] = *inside.terms_.rbegin();
  if (inside.terms_.size() == (has_number ? 2U : 1U) && times == 1 && factors.size() == 1 && is_quotient(factors.front())) {
    auto inner = taken_apart(factors.front());
    std::int64_t both = 0;
    if (!inner || __builtin_mul_overflow(inner->second, divisor, &both) || both > kMostDivisor) {
      outside.broken_ = true;
      return outside;
    }
    if (has_number) inner->first.add(Formula(inside.terms_.at({})), inner->second);
    outside.add(inner->first.over(both), 1);
    return outside;
  }
  const bool is_name = inside.terms_.size() == 1 && times == 1 && factors.size() == 1;
  std::string name = inside.text();
  outside.broken_ = outside.broken_ || inside.broken_ || name.size() > kLongest;
  outside.add_term({(is_name ? name : "(" + name + ")") + "/" + std::to_string(divisor)}, 1);
  return outside;
}

Formula Formula::bound(const Bindings& bindings) const {
  Formula result;
  result.broken_ = broken_;
  for (const auto& [factors, number] : terms_) {
    Formula term(number);
    for (const std::string& factor : factors) {
      if (const auto given = bindings.find(factor); given != bindings.end()) {
        term = term.times(Formula(given->second));
        continue;
      }
      const auto quotient = is_quotient(factor) ? taken_apart(factor) : std::nullopt;
      term = term.times(quotient ? quotient->first.bound(bindings).over(quotient->second) : of_factor(factor));
    }
    result.add(term, 1);
  }
  return result;
}

std::string Formula::text() const {
  std::string text;
  const auto write = [&](const Factors& factors, std::int64_t number) {
    if (number < 0) {
      text += '-';
    } else if (!text.empty()) {
      text += '+';
    }
    const std::uint64_t size = number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
    const bool alone = factors.size() == 1 && number == 1;
    if (size != 1 || factors.empty()) text += std::to_string(size);
    for (std::size_t i = 0; i < factors.size(); ++i) {
      if (i > 0 || size != 1) text += '*';
      text += alone || !is_quotient(factors[i]) ? factors[i] : "(" + factors[i] + ")";
    }
  };
  // What is added comes before what is taken away, so that no formula begins with a minus where it need not.
  for (const bool minus : {false, true}) {
    for (const auto& [factors, number] : terms_) {
      if (!factors.empty() && (number < 0) == minus) write(factors, number);
    }
    const auto plain = terms_.find({});
    if (plain != terms_.end() && (plain->second < 0) == minus) write({}, plain->second);
  }
  return text;
}

}  // namespace fuselab
