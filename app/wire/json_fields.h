// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "app/wire/json_kernel.h"

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
  static_assert(true)

// An enumeration travels by its name, so that the order of enumerators is nobody's business.
#define FL_JSON_ENUM(Type, parse)                           \
  void to_json(nlohmann::json& json, const Type& value) {   \
    json = std::string(name_of(value));                     \
  }                                                         \
  void from_json(const nlohmann::json& json, Type& value) { \
    value = parse(json.get_ref<const std::string&>());      \
  }                                                         \
  static_assert(true)
