// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/fields/fields.h"
#include "core/fields/value_kinds.h"

// Writes the form that json_writer.h gives a struct as JSON Schema (draft 2020-12), for schemas that are published or tested.
namespace fuselab::fields {

template <typename Json, Listed Struct>
Json schema_of();

template <typename Json, typename Value>
Json schema_of_value(Range range) {
  const auto number = [&](const char* type) {
    Json schema = {{"type", type}};
    if (range == Range::kNotNegative) schema["minimum"] = 0;
    return schema;
  };
  if constexpr (Listed<Value>) {
    return schema_of<Json, Value>();
  } else if constexpr (kIsOptional<Value>) {
    return schema_of_value<Json, typename Value::value_type>(range);
  } else if constexpr (kIsVector<Value>) {
    return {{"type", "array"}, {"items", schema_of_value<Json, typename Value::value_type>(range)}};
  } else if constexpr (kIsPair<Value>) {
    const Json items = Json::array(
        {schema_of_value<Json, typename Value::first_type>(range), schema_of_value<Json, typename Value::second_type>(range)});
    return {{"type", "array"}, {"prefixItems", items}, {"minItems", 2}, {"maxItems", 2}};
  } else if constexpr (Quantity<Value>) {
    return schema_of_value<Json, decltype(Value::count)>(range);
  } else if constexpr (std::same_as<Value, std::string> || NamedEnumeration<Value>) {
    return {{"type", "string"}};
  } else if constexpr (std::same_as<Value, bool>) {
    return {{"type", "boolean"}};
  } else if constexpr (Integer<Value>) {
    return number("integer");
  } else if constexpr (std::floating_point<Value>) {
    if (range != Range::kMayBeInfinite) return number("number");
    return {{"anyOf", Json::array({number("number"), Json{{"enum", Json::array({"inf", "-inf"})}}})}};
  } else {
    return Json::object();  // the library's own: any value
  }
}

template <typename Json, typename Struct, typename Member, typename Parse>
void add_schema(Json& schema, const Field<Struct, Member, Parse>& field) {
  const std::string name(field.name);
  if (field.required && !kIsOptional<Member>) schema["required"].push_back(name);
  schema["properties"][name] = schema_of_value<Json, Member>(field.range);
}
template <typename Json, typename Struct, typename Member>
void add_schema(Json& schema, const Inlined<Struct, Member>&) {
  for_each_field<Member>([&](const auto& field) { add_schema(schema, field); });
}
template <typename Json, typename Struct, typename Member>
void add_schema(Json&, const LeftOut<Struct, Member>&) {}

template <typename Json, Listed Struct>
Json schema_of() {
  Json schema = {{"type", "object"}, {"required", Json::array()}, {"properties", Json::object()}};
  for_each_field<Struct>([&](const auto& field) { add_schema(schema, field); });
  return schema;
}

}  // namespace fuselab::fields
