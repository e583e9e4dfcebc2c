// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fuselab {

// Symbol → extent, as `--shape batch=8,seq=128` gives them.
using Bindings = std::map<std::string, std::int64_t>;

// Returns true for a valid symbol name: letters, digits and '_', not beginning with a digit, at most 64 characters.
bool is_symbol_name(std::string_view name);

// An extent that follows from symbols: a sum of products with whole factors, of symbols and of sums divided by a number and rounded
// down, in one normal form. Where an operation leaves the bounds of numbers or length, the formula is broken for good. A value.
class Formula {
 public:
  // The factors of a product, sorted: names of symbols, and quotients as text ("h/2", "(h+w)/3"). No factors: the number 1.
  using Factors = std::vector<std::string>;

  Formula() = default;  // 0
  explicit Formula(std::int64_t number) { add_term({}, number); }
  static Formula of_factor(std::string factor);
  // Reads "(h+1)/2" in any form; the text is untrusted. Returns nothing where it is no formula, or too long:
  //   sum     = ["-"] product { ("+" | "-") product }
  //   product = factor { "*" factor | "/" number }
  //   factor  = number | name | "(" sum ")"
  static std::optional<Formula> parse(std::string_view text);

  bool is_broken() const { return broken_; }
  // Returns its value where it depends on no symbol.
  std::optional<std::int64_t> number() const;
  // Returns the normal form; nothing where it is broken or longer than 256 characters.
  std::optional<std::string> name() const;
  void add_symbols(std::set<std::string>& symbols) const;

  void add(const Formula& other, std::int64_t times);
  Formula times(const Formula& other) const;
  // Rounds down; the divisor is at least 1.
  Formula over(std::int64_t divisor) const;
  // Returns the quotient where nothing is left over whatever the symbols are bound to.
  std::optional<Formula> over(const Formula& divisor) const;
  // Replaces the symbols that have a value here.
  Formula bound(const Bindings& bindings) const;

 private:
  void add_term(Factors factors, std::int64_t number);
  std::string text() const;

  std::map<Factors, std::int64_t> terms_;  // no number is 0
  bool broken_ = false;
};

}  // namespace fuselab
