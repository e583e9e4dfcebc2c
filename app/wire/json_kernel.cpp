// SPDX-License-Identifier: Apache-2.0
#include "app/wire/json_kernel.h"

#include <optional>

#include "app/wire/json_fields.h"

namespace fuselab {
namespace {

template <typename T>
T known(std::optional<T> value, const std::string& name) {
  if (!value) throw DecodeFailure{"'" + name + "' is not known here"};
  return *value;
}

DType read_dtype(const std::string& name) {
  return known(parse_dtype(name), name);
}
Op read_op(const std::string& name) {
  return known(parse_op(name), name);
}
OptimizationLevel read_level(const std::string& name) {
  return decoded(parse_optimization_level(name));
}

ErrorCode read_error_code(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(ErrorCode::kInternal); ++i) {
    if (name_of(static_cast<ErrorCode>(i)) == name) return static_cast<ErrorCode>(i);
  }
  throw DecodeFailure{"'" + name + "' is no error code"};
}

}  // namespace

FL_JSON_ENUM(DType, read_dtype);
FL_JSON_ENUM(Op, read_op);
FL_JSON_ENUM(OptimizationLevel, read_level);
FL_JSON_ENUM(ErrorCode, read_error_code);

void to_json(nlohmann::json& json, const Bytes& bytes) {
  json = bytes.count;
}
void from_json(const nlohmann::json& json, Bytes& bytes) {
  bytes.count = json.get<std::int64_t>();
}

void to_json(nlohmann::json& json, const Nanoseconds& duration) {
  json = duration.count;
}
void from_json(const nlohmann::json& json, Nanoseconds& duration) {
  duration.count = json.get<double>();
}

void to_json(nlohmann::json& json, const ContentHash& hash) {
  json = hash.hex();
}
void from_json(const nlohmann::json& json, ContentHash& hash) {
  hash = decoded(ContentHash::from_hex(json.get_ref<const std::string&>()));
}

void to_json(nlohmann::json& json, const LaunchConfig& config) {
  json = json_of_config<nlohmann::json>(config);
}
void from_json(const nlohmann::json& json, LaunchConfig& config) {
  if (!json.is_object()) throw DecodeFailure{"a configuration is no object"};
  config = config_from(json);
}

void to_json(nlohmann::json& json, const ParameterSpace& space) {
  nlohmann::json parameters = nlohmann::json::array();
  for (const Parameter& parameter : space.parameters()) {
    nlohmann::json values = nlohmann::json::array();
    for (const ParameterValue& value : parameter.values) values.push_back(json_of_parameter<nlohmann::json>(value));
    parameters.push_back({{"name", parameter.name}, {"meaning", parameter.meaning}, {"values", std::move(values)}});
  }
  nlohmann::json constraints = nlohmann::json::array();
  for (const Constraint& constraint : space.constraints()) {
    constraints.push_back({{"expression", constraint.expression}, {"reason", constraint.reason}});
  }
  json = {{"parameters", std::move(parameters)}, {"constraints", std::move(constraints)}};
}

void from_json(const nlohmann::json& json, ParameterSpace& space) {
  space = {};
  for (const nlohmann::json& item : json.at("parameters")) {
    Parameter parameter{item.at("name").get<std::string>(), item.at("meaning").get<std::string>(), {}};
    for (const nlohmann::json& value : item.at("values")) parameter.values.push_back(parameter_from(value));
    if (const Status added = space.add(std::move(parameter)); !added.ok()) throw DecodeFailure{added.error().message};
  }
  for (const nlohmann::json& item : json.at("constraints")) {
    Constraint constraint{item.at("expression").get<std::string>(), item.at("reason").get<std::string>()};
    if (const Status added = space.add(std::move(constraint)); !added.ok()) throw DecodeFailure{added.error().message};
  }
}

void to_json(nlohmann::json& json, const KernelBinary& binary) {
  const auto* const first = reinterpret_cast<const std::uint8_t*>(binary.data.data());
  json = {{"format", binary.format},
          {"data", nlohmann::json::binary(std::vector<std::uint8_t>(first, first + binary.data.size()))},
          {"metadata", binary.metadata}};
}

void from_json(const nlohmann::json& json, KernelBinary& binary) {
  binary.format = json.at("format").get<std::string>();
  const auto& bytes = json.at("data").get_binary();
  const auto* const first = reinterpret_cast<const std::byte*>(bytes.data());
  binary.data.assign(first, first + bytes.size());
  binary.metadata = json.at("metadata").get<std::map<std::string, std::string>>();
}

FL_JSON_FIELDS(Error, code, message);
FL_JSON_FIELDS(Support, yes, why_not);
FL_JSON_FIELDS(Availability, usable, reason);
FL_JSON_FIELDS(FusionLimits, shared_memory_bytes, most_operators, most_tensors, takes_prologue, takes_twin_products,
               takes_normed_rows, multiplies_8_bit, writes_alone);
FL_JSON_FIELDS(BackendCapabilities, patterns, dtypes, operators, fusion, supports_autotuning, supports_profiling, supports_jit,
               supports_binary_cache, foreign_targets);
FL_JSON_FIELDS(CompilerReport, name, file, why_not);
FL_JSON_FIELDS(BackendReport, id, display_name, kind, availability, devices, capabilities, compiler, probe_died);
FL_JSON_LISTED(Target);
FL_JSON_LISTED(KernelAbi);
FL_JSON_FIELDS(SourceModule, language, text, entry, generator, generator_version, abi, flags);
FL_JSON_FIELDS(CompilationMetrics, generate_time, compile_time, binary_size, level);
FL_JSON_FIELDS(KernelIdentity, graph, backend, generator, generator_version, source, target, compiler, compiler_version, flags,
               library, library_version, config);
FL_JSON_FIELDS(CompiledKernel, identity, config, source, binary, abi, resources, metrics);

FL_JSON_FIELDS(DeviceAttribute, number, name, value);

constexpr auto fields_of(const DeviceInfo*) {
  using fields::field;
  return fields::list<DeviceInfo>(
      field("id", &DeviceInfo::id), field("backend", &DeviceInfo::backend), field("type", &DeviceInfo::type),
      field("index", &DeviceInfo::index), field("name", &DeviceInfo::name), field("uuid", &DeviceInfo::uuid),
      field("synthetic", &DeviceInfo::synthetic), field("unified_memory", &DeviceInfo::unified_memory),
      field("total_memory_bytes", &DeviceInfo::total_memory_bytes), field("free_memory_bytes", &DeviceInfo::free_memory_bytes),
      field("compute_units", &DeviceInfo::compute_units), field("compute_capability", &DeviceInfo::compute_capability),
      field("driver_version", &DeviceInfo::driver_version), field("properties", &DeviceInfo::properties),
      field("attributes", &DeviceInfo::attributes), field("target", &DeviceInfo::target),
      field("other_targets", &DeviceInfo::other_targets));
}
FL_JSON_LISTED(DeviceInfo);

}  // namespace fuselab
