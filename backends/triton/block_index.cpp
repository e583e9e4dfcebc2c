// SPDX-License-Identifier: Apache-2.0
#include "backends/triton/block_index.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <tuple>

namespace fuselab::triton {
namespace {

std::optional<std::int64_t> value_of(const Index& index) {
  if (index.axes != 0 || index.base.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  const std::int64_t value = std::strtoll(index.base.c_str(), nullptr, 10) / index.divisor;
  return index.modulus == 0 ? value : value % index.modulus;
}

bool is_zero(const Index& index) {
  return value_of(index) == 0;
}

}  // namespace

Index index_named(std::string variable, Axes axes) {
  Index index;
  index.base = std::move(variable);
  index.axes = axes;
  return index;
}

std::string Index::text() const {
  if (const auto value = value_of(*this)) return std::to_string(*value);
  std::string text = base;
  if (divisor != 1) text += " // " + std::to_string(divisor);
  if (modulus != 0) text += " % " + std::to_string(modulus);
  return text == base ? text : "(" + text + ")";
}

bool Index::operator==(const Index& other) const {
  return base == other.base && divisor == other.divisor && modulus == other.modulus;
}

Index constant(std::int64_t value) {
  return index_named(std::to_string(value), 0);
}

Index plus(const Index& index, std::int64_t offset) {
  if (offset == 0) return index;
  if (const auto value = value_of(index); value && *value + offset >= 0) return constant(*value + offset);
  return index_named("(" + index.text() + (offset < 0 ? " - " : " + ") + std::to_string(std::abs(offset)) + ")", index.axes);
}

Index plus(const Index& a, const Index& b) {
  if (const auto value = value_of(b)) return plus(a, *value);
  if (is_zero(a)) return b;
  return index_named("(" + a.text() + " + " + b.text() + ")", a.axes | b.axes);
}

Index times(const Index& index, std::int64_t factor) {
  if (factor == 1) return index;
  if (const auto value = value_of(index)) return constant(*value * factor);
  return index_named("(" + index.text() + " * " + std::to_string(factor) + ")", index.axes);
}

Index joined(const Index& outer, std::int64_t extent, const Index& inner) {
  if (extent == 1) return outer;
  if (is_zero(outer)) return inner;
  const auto meets = [&](const Index& high) {
    return high.base == inner.base && inner.modulus == extent && high.divisor == inner.divisor * extent && !value_of(high);
  };
  if (outer.joined && meets(outer.joined->inner)) {
    const Index::Joined& parts = *outer.joined;
    return joined(parts.outer, parts.extent * extent, joined(parts.inner, extent, inner));
  }
  if (meets(outer)) {
    Index whole = inner;
    whole.modulus = outer.modulus * extent;
    if (whole.divisor == 1 && whole.modulus == 0) whole.joined = outer.joined;
    return whole;
  }
  Index made = plus(times(outer, extent), inner);
  if (!value_of(made)) made.joined = std::make_shared<const Index::Joined>(Index::Joined{outer, extent, inner});
  return made;
}

std::pair<Index, Index> split(const Index& index, std::int64_t extent) {
  if (extent == 1) return {index, constant(0)};
  if (const auto value = value_of(index)) return {constant(*value / extent), constant(*value % extent)};
  if (index.joined && index.divisor == 1 && index.modulus == 0) {
    const Index::Joined& parts = *index.joined;
    if (parts.extent == extent) return {parts.outer, parts.inner};
    if (parts.extent % extent == 0) {
      const auto [high, low] = split(parts.inner, extent);
      return {joined(parts.outer, parts.extent / extent, high), low};
    }
    if (extent % parts.extent == 0) {
      const auto [high, low] = split(parts.outer, extent / parts.extent);
      return {high, joined(low, parts.extent, parts.inner)};
    }
  }
  Index whole = index;
  if (whole.modulus != 0 && whole.modulus % extent != 0) whole = index_named(index.text(), index.axes);
  if (whole.modulus == extent) return {constant(0), whole};
  Index outer = whole, inner = whole;
  outer.joined = inner.joined = nullptr;
  outer.divisor = whole.divisor * extent;
  outer.modulus = whole.modulus / extent;
  inner.modulus = extent;
  return {outer, inner};
}

Index flat(const Place& place, const Extents& extents) {
  Index whole = constant(0);
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] != 1) whole = joined(whole, extents[axis], place[axis]);
  }
  return whole;
}

Place unflattened(const Index& index, const Extents& extents) {
  Place place(extents.size(), constant(0));
  const auto first = std::find_if(extents.begin(), extents.end(), [](std::int64_t extent) { return extent != 1; });
  Index rest = index;
  for (auto axis = extents.end(); axis != first;) {
    --axis;
    if (*axis == 1) continue;
    Index& here = place[static_cast<std::size_t>(axis - extents.begin())];
    if (axis == first) {
      here = rest;
    } else {
      std::tie(rest, here) = split(rest, *axis);
    }
  }
  return place;
}

Place reshaped(const Place& place, const Extents& from, const Extents& to) {
  if (from == to) return place;
  Place made;
  std::size_t read = 0;
  for (std::size_t next = 0; next < to.size();) {
    // The shortest runs of axes of either shape that hold as many elements.
    Extents before, after = {to[next++]};
    Place inside;
    std::int64_t have = 1, want = after.front();
    while (have != want || (before.empty() && want != 1)) {
      if (have < want && read < from.size()) {
        before.push_back(from[read]);
        inside.push_back(place[read]);
        have *= from[read++];
      } else if (next < to.size()) {
        want *= to[next];
        after.push_back(to[next++]);
      } else {
        break;
      }
    }
    for (Index& each : unflattened(flat(inside, before), after)) made.push_back(std::move(each));
  }
  return made;
}

}  // namespace fuselab::triton
