// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/extents/formula.h"

namespace fuselab {

// One extent of a shape: a number ≥ 0, or a named symbol bound later ("batch", "seq"), or a symbol whose name is a formula of
// others
// ("(h+1)/2"): see core/extents/formula.h.
class Dim {
 public:
  Dim(std::int64_t extent) : extent_(extent) {}  // NOLINT(google-explicit-constructor): shapes read as {8, 768}
  static Dim symbol(std::string name) {
    Dim dim(0);
    dim.is_symbol_ = true;
    dim.name_ = std::move(name);
    return dim;
  }

  bool is_symbol() const { return is_symbol_; }
  std::int64_t extent() const {
    FL_ASSERT(!is_symbol());
    return extent_;
  }
  const std::string& name() const {
    FL_ASSERT(is_symbol());
    return name_;
  }
  std::string text() const { return is_symbol() ? name() : std::to_string(extent()); }

  bool operator==(const Dim&) const = default;

 private:
  // Members instead of a variant: GCC 12 sees uninitialised strings in the moves of variants of strings.
  std::int64_t extent_;
  bool is_symbol_ = false;
  std::string name_;
};

using Shape = std::vector<Dim>;
// The highest rank of a tensor. It bounds what a short text can make the parser build.
inline constexpr std::size_t kMaxRank = 8;

// Parses "batch=8,seq=128"; "" gives no bindings. Extents are 1 … 2^40.
Result<Bindings> parse_bindings(std::string_view text);

// Arithmetic on extents; what follows from symbols is a formula of them. Extents are taken to be at least 0. Those that return
// std::optional return nothing where a formula would be too long or its numbers too large.
std::optional<Dim> sum(const Dim& a, const Dim& b);
std::optional<Dim> difference(const Dim& a, const Dim& b);
std::optional<Dim> product(const Dim& a, const Dim& b);
// Rounds down. `divisor` is at least 1.
std::optional<Dim> quotient(const Dim& a, std::int64_t divisor);
// Returns a / b where nothing is left over whatever the symbols are bound to; else nothing.
std::optional<Dim> exact_quotient(const Dim& a, const Dim& b);

// Returns true for a symbol whose name is a formula, false for numbers and for symbols that a user binds.
bool is_derived(const Dim& dim);
// Adds the symbols that the extent depends on.
void add_symbols(const Dim& dim, std::set<std::string>& symbols);
// Replaces the symbols that have a value here. Fails with kInvalidArgument where the result is negative or too large.
Result<Dim> bound(const Dim& dim, const Bindings& bindings);
// Parses a number, a symbol's name or a formula, in any form. The text is untrusted.
// Fails with kInvalidArgument where it is none, is negative for all bindings, or is too long.
Result<Dim> parse_extent(std::string_view text);

std::string shape_text(const Shape& shape);  // "[8,768]"; "[]" is a scalar
bool is_concrete(const Shape& shape);
// Returns the number of elements of a concrete shape.
// Fails when the product leaves 2^62.
Result<std::int64_t> element_count(const Shape& shape);
// Returns the extents of a concrete shape.
std::vector<std::int64_t> extents_of(const Shape& shape);

}  // namespace fuselab
