// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "core/fields/fields.h"
#include "core/kernel/compiled_kernel.h"

// The parts of a kernel that messages and database columns hold in the same JSON. `Json` is nlohmann::json; it is a parameter, so
// that core does not depend on the library. Reading throws the library's exceptions.
namespace fuselab {

constexpr auto fields_of(const Target*) {
  using fields::field;
  return fields::list<Target>(field("id", &Target::id), field("arch", &Target::arch), field("limits", &Target::limits));
}

template <typename Json>
Json json_of_extents(const Shape& shape) {
  Json list = Json::array();
  for (const Dim& dim : shape) list.push_back(dim.is_symbol() ? Json(dim.name()) : Json(dim.extent()));
  return list;
}
template <typename Json>
Shape extents_from(const Json& list) {
  Shape shape;
  for (const Json& dim : list)
    shape.push_back(dim.is_string() ? Dim::symbol(dim.template get<std::string>()) : Dim(dim.template get<std::int64_t>()));
  return shape;
}

template <typename Json>
Json json_of_parameter(const ParameterValue& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}
template <typename Json>
ParameterValue parameter_from(const Json& json) {
  if (json.is_string()) return json.template get<std::string>();
  return json.template get<std::int64_t>();
}

template <typename Json>
Json json_of_config(const LaunchConfig& config) {
  Json object = Json::object();
  for (const auto& [name, value] : config.values()) object[name] = json_of_parameter<Json>(value);
  return object;
}
template <typename Json>
LaunchConfig config_from(const Json& object) {
  LaunchConfig config;
  for (const auto& [name, value] : object.items()) config.set(name, parameter_from(value));
  return config;
}

}  // namespace fuselab
