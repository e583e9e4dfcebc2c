// SPDX-License-Identifier: Apache-2.0
#include "core/types/shape.h"

#include <algorithm>
#include <charconv>

namespace fuselab {
namespace {

constexpr std::int64_t kMaxExtent = std::int64_t{1} << 40;
constexpr std::int64_t kMaxElements = std::int64_t{1} << 62;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

Error binding_error(std::string_view part, std::string_view problem) {
  return invalid_argument("shape '" + std::string(part) + "': " + std::string(problem) + "; write it as batch=8,seq=128");
}

Result<std::int64_t> parse_extent(std::string_view part, std::string_view digits) {
  std::int64_t extent = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), extent);
  if (code == std::errc::invalid_argument || end != digits.data() + digits.size()) {
    return binding_error(part, "'" + std::string(digits) + "' is not a whole number");
  }
  if (code != std::errc() || extent < 1 || extent > kMaxExtent) {
    return binding_error(part, "an extent must lie between 1 and " + std::to_string(kMaxExtent));
  }
  return extent;
}

// A name that is no formula, which only a file of another program can hold, stands for itself.
Formula formula_of(const Dim& dim) {
  if (!dim.is_symbol()) return Formula(dim.extent());
  if (is_symbol_name(dim.name())) return Formula::of_factor(dim.name());
  auto parsed = Formula::parse(dim.name());
  return parsed ? std::move(*parsed) : Formula::of_factor(dim.name());
}

std::optional<Dim> dim_of(const Formula& formula) {
  const auto number = formula.number();
  if (number && !formula.is_broken()) return Dim(*number);
  auto name = formula.name();
  return name ? std::optional<Dim>(Dim::symbol(std::move(*name))) : std::nullopt;
}

bool is_extent(std::int64_t number) {
  return number >= 0 && number <= kMaxElements;
}

}  // namespace

Result<Bindings> parse_bindings(std::string_view text) {
  Bindings bindings;
  text = trimmed(text);
  while (!text.empty()) {
    const auto comma = text.find(',');
    const std::string_view part = trimmed(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    if (comma != std::string_view::npos && trimmed(text).empty()) return binding_error(part, "nothing follows the last comma");
    const auto equals = part.find('=');
    if (equals == std::string_view::npos) return binding_error(part, "expected name=number");
    const std::string name(trimmed(part.substr(0, equals)));
    if (!is_symbol_name(name)) return binding_error(part, "'" + name + "' is not a name");
    FL_TRY(const std::int64_t extent, parse_extent(part, trimmed(part.substr(equals + 1))));
    if (!bindings.emplace(name, extent).second) return binding_error(part, "'" + name + "' is given twice");
  }
  return bindings;
}

std::optional<Dim> sum(const Dim& a, const Dim& b) {
  Formula result = formula_of(a);
  result.add(formula_of(b), 1);
  return dim_of(result);
}

std::optional<Dim> difference(const Dim& a, const Dim& b) {
  Formula result = formula_of(a);
  result.add(formula_of(b), -1);
  return dim_of(result);
}

std::optional<Dim> product(const Dim& a, const Dim& b) {
  return dim_of(formula_of(a).times(formula_of(b)));
}

std::optional<Dim> quotient(const Dim& a, std::int64_t divisor) {
  FL_ASSERT(divisor >= 1);
  return dim_of(formula_of(a).over(divisor));
}

std::optional<Dim> exact_quotient(const Dim& a, const Dim& b) {
  const auto result = formula_of(a).over(formula_of(b));
  return result ? dim_of(*result) : std::nullopt;
}

bool is_derived(const Dim& dim) {
  return dim.is_symbol() && !is_symbol_name(dim.name());
}

void add_symbols(const Dim& dim, std::set<std::string>& symbols) {
  if (is_derived(dim)) {
    formula_of(dim).add_symbols(symbols);
  } else if (dim.is_symbol()) {
    symbols.insert(dim.name());
  }
}

Result<Dim> bound(const Dim& dim, const Bindings& bindings) {
  if (!dim.is_symbol()) return dim;
  const auto result = dim_of(formula_of(dim).bound(bindings));
  if (!result || (!result->is_symbol() && !is_extent(result->extent())))
    return invalid_argument("the extent " + dim.name() + " is " + (result ? result->text() : "too large") + " for these values");
  return *result;
}

Result<Dim> parse_extent(std::string_view text) {
  const auto formula = Formula::parse(text);
  const auto dim = formula ? dim_of(*formula) : std::nullopt;
  if (!dim || (!dim->is_symbol() && !is_extent(dim->extent())))
    return invalid_argument("'" + std::string(text.substr(0, 64)) +
                            "' is no extent: a number from 0 to 2^62, a symbol's name, or a " + "formula of these");
  return *dim;
}

std::string shape_text(const Shape& shape) {
  std::string text = "[";
  for (const Dim& dim : shape) {
    if (text.size() > 1) text += ',';
    text += dim.text();
  }
  return text + "]";
}

bool is_concrete(const Shape& shape) {
  return std::none_of(shape.begin(), shape.end(), [](const Dim& dim) { return dim.is_symbol(); });
}

Result<std::int64_t> element_count(const Shape& shape) {
  std::int64_t count = 1;
  bool empty = false;
  for (const Dim& dim : shape) {
    if (dim.is_symbol()) {
      return invalid_argument("shape " + shape_text(shape) + " has no size until '" + dim.name() + "' is bound");
    }
    empty = empty || dim.extent() == 0;
  }
  if (empty) return std::int64_t{0};
  for (const Dim& dim : shape) {
    if (dim.extent() < 0 || count > kMaxElements / dim.extent()) {
      return invalid_argument("shape " + shape_text(shape) + " has more than 2^62 elements");
    }
    count *= dim.extent();
  }
  return count;
}

std::vector<std::int64_t> extents_of(const Shape& shape) {
  std::vector<std::int64_t> extents;
  extents.reserve(shape.size());
  for (const Dim& dim : shape) extents.push_back(dim.extent());
  return extents;
}

}  // namespace fuselab
