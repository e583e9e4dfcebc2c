// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/units.h"

// The kinds of members that the archives handle themselves; all others are left to the JSON library.
namespace fuselab::fields {

template <typename Value>
inline constexpr bool kIsOptional = false;
template <typename Value>
inline constexpr bool kIsOptional<std::optional<Value>> = true;

template <typename Value>
inline constexpr bool kIsVector = false;
template <typename Value>
inline constexpr bool kIsVector<std::vector<Value>> = true;

template <typename Value>
inline constexpr bool kIsPair = false;
template <typename First, typename Second>
inline constexpr bool kIsPair<std::pair<First, Second>> = true;

template <typename Value>
concept Integer = std::integral<Value> && !std::same_as<Value, bool>;

template <typename Value>
concept Quantity = std::same_as<Value, Nanoseconds> || std::same_as<Value, Bytes>;

template <typename Value>
concept NamedEnumeration = std::is_enum_v<Value> && requires(Value value) {
  std::string_view(name_of(value));
};

}  // namespace fuselab::fields
