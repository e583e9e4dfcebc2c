// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace fuselab {

// One extent of a shape: a number ≥ 0, or a named symbol bound later ("batch", "seq").
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

// Symbol → extent, as `--shape batch=8,seq=128` gives them.
using Bindings = std::map<std::string, std::int64_t>;

// Parses "batch=8,seq=128"; "" gives no bindings. Extents are 1 … 2^40.
Result<Bindings> parse_bindings(std::string_view text);

// Returns true for a valid symbol name: letters, digits and '_', not beginning with a digit, at most 64 characters.
bool is_symbol_name(std::string_view name);

std::string shape_text(const Shape& shape);  // "[8,768]"; "[]" is a scalar
bool is_concrete(const Shape& shape);
// Returns the number of elements of a concrete shape.
// Fails when the product leaves 2^62.
Result<std::int64_t> element_count(const Shape& shape);
// Returns the extents of a concrete shape.
std::vector<std::int64_t> extents_of(const Shape& shape);

}  // namespace fuselab
