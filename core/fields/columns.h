// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/fields/fields.h"
#include "core/fields/value_kinds.h"

// A struct's fields as columns of a table, in the order of its list: their names, and the values of a row. `Binder` and `Reader`
// are the database's (db/connection/row_io.h); they are parameters, so that core sees no library. The columns of an inlined struct
// stand among those of the outer one. A list, or an optional of anything but text and 64-bit integers, has no column and does not
// compile. Ranges are not checked here; a NaN is stored as NULL and read as 0.
namespace fuselab::fields {

template <typename Struct, typename Member, typename Parse, typename Visitor>
constexpr void visit_columns(const Field<Struct, Member, Parse>& field, Visitor&& visitor) {
  visitor(
      field.name, [&field](auto& value) -> auto& { return value.*field.member; });
}
template <typename Struct, typename Member, typename Visitor>
constexpr void visit_columns(const LeftOut<Struct, Member>&, Visitor&&) {}
template <typename Struct, typename Member, typename Visitor>
constexpr void visit_columns(const Inlined<Struct, Member>& inlined, Visitor&& visitor) {
  for_each_field<Member>([&](const auto& inner) {
    visit_columns(inner, [&](std::string_view name, const auto& member_of) {
      visitor(
          name, [&](auto& value) -> auto& { return member_of(value.*inlined.member); });
    });
  });
}

// Calls visitor(name, member_of) for each column; member_of(value) is the member that the column holds.
template <Listed Struct, typename Visitor>
constexpr void for_each_column(Visitor&& visitor) {
  for_each_field<Struct>([&](const auto& field) { visit_columns(field, visitor); });
}

template <typename Value>
concept HasColumn = std::same_as<Value, std::string> || std::same_as<Value, std::int64_t>;

// Returns "piece_key, device_id, ratio".
template <Listed Struct>
std::string column_names() {
  std::string names;
  for_each_column<Struct>([&](std::string_view name, const auto&) { names.append(names.empty() ? "" : ", ").append(name); });
  return names;
}

// Returns "?,?,?", one parameter for each column.
template <Listed Struct>
std::string column_parameters() {
  std::string parameters;
  for_each_column<Struct>([&](std::string_view, const auto&) { parameters += parameters.empty() ? "?" : ",?"; });
  return parameters;
}

// Binds the values of a row in the order of column_names().
template <typename Binder, Listed Struct>
void bind_columns(Binder& row, const Struct& value) {
  for_each_column<Struct>([&](std::string_view, const auto& member_of) {
    const auto& member = member_of(value);
    using Member = std::remove_cvref_t<decltype(member)>;
    if constexpr (kIsOptional<Member>) {
      static_assert(HasColumn<typename Member::value_type>);
      row.maybe(member);
    } else if constexpr (Quantity<Member>) {
      row.integer(member.count);
    } else if constexpr (std::integral<Member>) {
      row.integer(member);
    } else if constexpr (std::floating_point<Member>) {
      row.real(member);
    } else {
      row.text(member);
    }
  });
}

// Reads a row whose columns stand in the order of column_names().
template <typename Reader, Listed Struct>
void read_columns(Reader& row, Struct& value) {
  for_each_column<Struct>([&](std::string_view, const auto& member_of) {
    auto& member = member_of(value);
    using Member = std::remove_cvref_t<decltype(member)>;
    if constexpr (std::same_as<Member, std::optional<std::string>>) {
      member = row.maybe_text();
    } else if constexpr (kIsOptional<Member>) {
      static_assert(HasColumn<typename Member::value_type>);
      member = row.maybe_integer();
    } else if constexpr (Quantity<Member>) {
      member.count = row.integer();
    } else if constexpr (std::integral<Member>) {
      member = static_cast<Member>(row.integer());
    } else if constexpr (std::floating_point<Member>) {
      member = row.real();
    } else {
      member = row.text();
    }
  });
}

}  // namespace fuselab::fields
