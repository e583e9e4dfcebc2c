// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/fields/complaint.h"
#include "core/fields/fields.h"
#include "core/fields/value_kinds.h"

// Writes structs to JSON. `Json` is nlohmann::json or nlohmann::ordered_json, which serves for CBOR as well; it is a parameter, so
// that core does not depend on the library.
namespace fuselab::fields {

template <typename Json, Listed Struct>
void write_fields(Json& object, const Struct& value);

template <typename Json, typename Value>
Json json_of(const Value& value) {
  if constexpr (Listed<Value>) {
    Json object = Json::object();
    write_fields(object, value);
    return object;
  } else if constexpr (kIsVector<Value>) {
    Json list = Json::array();
    for (const typename Value::value_type& element : value) list.push_back(json_of<Json>(element));
    return list;
  } else if constexpr (kIsPair<Value>) {
    return Json::array({json_of<Json>(value.first), json_of<Json>(value.second)});
  } else if constexpr (Quantity<Value>) {
    return json_of<Json>(value.count);
  } else if constexpr (NamedEnumeration<Value>) {
    return Json(std::string(name_of(value)));
  } else if constexpr (std::floating_point<Value>) {
    const std::string_view word = word_of_number(value);
    return word.empty() ? Json(value) : Json(std::string(word));
  } else {
    return Json(value);
  }
}

template <typename Json, typename Struct, typename Member, typename Parse>
void write_field(Json& object, const Struct& value, const Field<Struct, Member, Parse>& field) {
  const Member& member = value.*field.member;
  if constexpr (kIsOptional<Member>) {
    if (member) object[std::string(field.name)] = json_of<Json>(*member);
  } else {
    object[std::string(field.name)] = json_of<Json>(member);
  }
}
template <typename Json, typename Struct, typename Member>
void write_field(Json& object, const Struct& value, const RareField<Struct, Member>& field) {
  if (value.*field.member != Struct().*field.member) object[std::string(field.name)] = json_of<Json>(value.*field.member);
}
template <typename Json, typename Struct, typename Member>
void write_field(Json& object, const Struct& value, const Inlined<Struct, Member>& inlined) {
  write_fields(object, value.*inlined.member);
}
template <typename Json, typename Struct, typename Member>
void write_field(Json&, const Struct&, const LeftOut<Struct, Member>&) {}

// Adds the fields to an object; its other members stay.
template <typename Json, Listed Struct>
void write_fields(Json& object, const Struct& value) {
  for_each_field<Struct>([&](const auto& field) { write_field(object, value, field); });
}

}  // namespace fuselab::fields
