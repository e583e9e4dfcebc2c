// SPDX-License-Identifier: Apache-2.0
#include "core/graph/shape.h"

#include <algorithm>
#include <charconv>

namespace fuselab {
namespace {

constexpr std::int64_t kMaxExtent = std::int64_t{1} << 40;
constexpr std::size_t kMaxSymbolLength = 64;
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

}  // namespace

bool is_symbol_name(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && name.size() <= kMaxSymbolLength && letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

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
