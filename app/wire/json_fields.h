// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "app/wire/json_kernel.h"
#include "core/fields/json_reader.h"
#include "core/fields/json_writer.h"

namespace fuselab::wire {

// A field that is missing from a message's list would be lost silently on the way, so every list of fields is checked against the
// struct.
consteval std::size_t listed_count(const char* names) {
  std::size_t count = 1;
  for (; *names != 0; ++names) count += *names == ',' ? 1 : 0;
  return count;
}
template <typename Type>
consteval bool lists_every_field(const char* names) {
  if constexpr (std::is_aggregate_v<Type>) return fields::field_count<Type>() == listed_count(names);
  return true;
}

// Decodes a struct that has fields_of().
template <fields::Listed Message>
void decode_fields(const nlohmann::json& json, Message& message) {
  if (const Status read = fields::read_fields(json, message); !read.ok()) throw DecodeFailure{read.error().message};
}

}  // namespace fuselab::wire

// For json_*.cpp only. FL_JSON_FIELDS(Type, a, b): an object of these fields, all of them required when reading. (nlohmann's own
// macro defines inline functions, which a header cannot declare for other sources.)
#define FL_JSON_FIELDS(Type, ...)                                                \
  void to_json(nlohmann::json& nlohmann_json_j, const Type& nlohmann_json_t) {   \
    nlohmann_json_j = nlohmann::json::object();                                  \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__))     \
  }                                                                              \
  void from_json(const nlohmann::json& nlohmann_json_j, Type& nlohmann_json_t) { \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM, __VA_ARGS__))   \
  }                                                                              \
  static_assert(::fuselab::wire::lists_every_field<Type>(#__VA_ARGS__), "the message does not carry every field of " #Type)

// An object of the fields that fields_of(const Type*) lists.
#define FL_JSON_LISTED(Type)                                \
  void to_json(nlohmann::json& json, const Type& value) {   \
    json = fields::json_of<nlohmann::json>(value);          \
  }                                                         \
  void from_json(const nlohmann::json& json, Type& value) { \
    wire::decode_fields(json, value);                       \
  }                                                         \
  static_assert(true)

// An enumeration is sent by its name, so that the order of enumerators does not matter.
#define FL_JSON_ENUM(Type, parse)                           \
  void to_json(nlohmann::json& json, const Type& value) {   \
    json = std::string(name_of(value));                     \
  }                                                         \
  void from_json(const nlohmann::json& json, Type& value) { \
    value = parse(json.get_ref<const std::string&>());      \
  }                                                         \
  static_assert(true)
