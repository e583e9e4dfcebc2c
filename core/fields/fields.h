// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "core/base/result.h"
#include "core/fields/field_count.h"

// A struct lists its fields once, and archives follow the list (json_writer.h, json_reader.h, json_schema.h), so that what is
// written, read and published cannot drift apart. `fields_of` stands in the struct's namespace, where overload resolution finds it:
//
//   struct Interval { double low = 0, high = 0; };
//   struct Rate { std::string of; Interval interval; std::optional<int> trials; };
//
//   constexpr auto fields_of(const Interval*) {
//     return fields::list<Interval>(fields::bound("low", &Interval::low), fields::bound("high", &Interval::high));
//   }
//   constexpr auto fields_of(const Rate*) {
//     return fields::list<Rate>(fields::field("of", &Rate::of), fields::inlined(&Rate::interval),
//                               fields::amount("trials", &Rate::trials));
//   }
//
// A list that forgets a field does not compile.
namespace fuselab::fields {

// The numbers that a field accepts.
enum class Range {
  kFinite,         // of either sign
  kNotNegative,    // finite, at least 0
  kMayBeInfinite,  // of either sign
};

struct NoParse {};

// A member and the name that it is written under. An empty std::optional is not written and may be absent when reading.
template <typename Struct, typename Member, typename Parse = NoParse>
struct Field {
  std::string_view name;
  Member Struct::*member;
  Range range = Range::kFinite;
  bool required = true;  // absence is an error when reading
  Parse parse = {};      // for an enumeration: Result<Member>(std::string_view)
};

// A field that is written only where it differs from a struct that nobody has changed, and may be absent when reading: what is
// written stays as it was before there was such a field.
template <typename Struct, typename Member>
struct RareField : Field<Struct, Member> {};

// A member that is a struct itself, whose fields are written among those of the outer one.
template <typename Struct, typename Member>
struct Inlined {
  Member Struct::*member;
};

// A member that archives ignore.
template <typename Struct, typename Member>
struct LeftOut {
  Member Struct::*member;
};

template <typename Struct, typename Member>
constexpr auto field(std::string_view name, Member Struct::*member) {
  return Field<Struct, Member>{name, member};
}
template <typename Struct, typename Member>
constexpr auto field(std::string_view name, Member Struct::*member, Result<Member> (*parse)(std::string_view)) {
  return Field<Struct, Member, Result<Member> (*)(std::string_view)>{name, member, Range::kFinite, true, parse};
}
template <typename Struct, typename Member>
constexpr auto amount(std::string_view name, Member Struct::*member) {
  return Field<Struct, Member>{name, member, Range::kNotNegative};
}
template <typename Struct, typename Member>
constexpr auto bound(std::string_view name, Member Struct::*member) {
  return Field<Struct, Member>{name, member, Range::kMayBeInfinite};
}
// Lists a field that earlier versions did not write: when it is absent, the member keeps the value that it has.
template <typename Struct, typename Member>
constexpr auto later(std::string_view name, Member Struct::*member) {
  return Field<Struct, Member>{name, member, Range::kFinite, false};
}
template <typename Struct, typename Member>
constexpr auto rare(std::string_view name, Member Struct::*member) {
  return RareField<Struct, Member>{{name, member, Range::kFinite, false}};
}
template <typename Struct, typename Member>
constexpr auto inlined(Member Struct::*member) {
  return Inlined<Struct, Member>{member};
}
template <typename Struct, typename Member>
constexpr auto left_out(Member Struct::*member) {
  return LeftOut<Struct, Member>{member};
}

template <typename A, typename B>
constexpr bool same_member(const A& a, const B& b) {
  if constexpr (std::is_same_v<decltype(a.member), decltype(b.member)>) return a.member == b.member;
  return false;
}

template <typename... Fields>
constexpr bool are_distinct(const Fields&... fields) {
  const auto times_listed = [&](const auto& one) { return (static_cast<int>(same_member(one, fields)) + ...); };
  return ((times_listed(fields) == 1) && ...);
}

template <typename Struct, typename... Fields>
concept ListsEveryField = sizeof...(Fields) == field_count<Struct>();

// Returns the list of Struct's fields, each once.
template <typename Struct, typename... Fields>
requires ListsEveryField<Struct, Fields...>
constexpr auto list(Fields... fields) {
  return std::tuple(fields...);
}

template <typename Struct>
concept Listed = requires(const Struct* none) {
  fields_of(none);
};

template <Listed Struct, typename Visitor>
constexpr void for_each_field(Visitor&& visitor) {
  constexpr auto kFields = fields_of(static_cast<const Struct*>(nullptr));
  static_assert(std::apply([](const auto&... field) { return are_distinct(field...); }, kFields), "a field is listed twice");
  std::apply([&](const auto&... field) { (visitor(field), ...); }, kFields);
}

}  // namespace fuselab::fields
