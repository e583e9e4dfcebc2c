// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <variant>

#include "core/fields/fields.h"
#include "core/kernel/compiled_kernel.h"

// The parts of a kernel in JSON, for messages, files and database columns. `Json` is nlohmann::json; it is a parameter, so that
// core does not depend on the library. Functions that read throw the library's exceptions.
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
void to_json(Json& json, const TensorType& type) {
  json = Json::object();
  json["dtype"] = std::string(name_of(type.dtype));
  json["shape"] = json_of_extents<Json>(type.shape);
}
template <typename Json>
void from_json(const Json& json, TensorType& type) {
  const auto name = json.at("dtype").template get<std::string>();
  const auto dtype = parse_dtype(name);
  if (!dtype) throw std::invalid_argument("'" + name + "' is not known here");
  type = {*dtype, extents_from(json.at("shape"))};
}

constexpr auto fields_of(const DimFormula*) {
  return fields::list<DimFormula>(fields::field("text", &DimFormula::text));
}
constexpr auto fields_of(const KernelArgument*) {
  using fields::field;
  using Argument = KernelArgument;
  return fields::list<Argument>(field("name", &Argument::name), field("role", &Argument::role, parse_buffer_role),
                                field("type", &Argument::type), field("alignment", &Argument::alignment));
}
constexpr auto fields_of(const Preparation*) {
  using fields::field;
  return fields::list<Preparation>(field("entry", &Preparation::entry), field("inputs", &Preparation::inputs),
                                   field("tasks", &Preparation::tasks), field("bytes", &Preparation::bytes));
}
constexpr auto fields_of(const FollowingLaunch*) {
  using fields::field;
  using After = FollowingLaunch;
  return fields::list<After>(field("entry", &After::entry), field("grid_x", &After::grid_x), field("block_x", &After::block_x),
                             field("shared_bytes", &After::shared_bytes));
}
inline Result<DType> parse_element(std::string_view name) {
  if (const auto dtype = parse_dtype(name)) return *dtype;
  return invalid_argument("'" + std::string(name) + "' is not known here");
}
constexpr auto fields_of(const TensorMapArgument*) {
  using fields::field;
  using Map = TensorMapArgument;
  return fields::list<Map>(field("buffer", &Map::buffer), field("element", &Map::element, parse_element),
                           field("extents", &Map::extents), field("strides", &Map::strides), field("box", &Map::box),
                           field("swizzle", &Map::swizzle));
}
constexpr auto fields_of(const EntryParameter*) {
  using fields::field;
  using Each = EntryParameter;
  return fields::list<Each>(field("buffer", &Each::buffer), field("element", &Each::element, parse_element),
                            field("number", &Each::number), field("local_bytes", &Each::local_bytes));
}
constexpr auto fields_of(const KernelAbi*) {
  using fields::field;
  using Abi = KernelAbi;
  return fields::list<Abi>(field("entry", &Abi::entry), field("arguments", &Abi::arguments), field("grid_x", &Abi::grid_x),
                           field("grid_y", &Abi::grid_y), field("grid_z", &Abi::grid_z), field("block_x", &Abi::block_x),
                           field("block_y", &Abi::block_y), field("block_z", &Abi::block_z),
                           field("shared_bytes", &Abi::shared_bytes), field("preparation", &Abi::preparation),
                           fields::rare("after", &Abi::after), fields::rare("cluster", &Abi::cluster),
                           fields::rare("maps", &Abi::maps), fields::rare("parameters", &Abi::parameters));
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
