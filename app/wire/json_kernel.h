// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "core/backend/device_info.h"
#include "core/base/support.h"
#include "core/kernel/kernel_json.h"
#include "core/tuning/parameter_space.h"

// Conversions of core's values for the wire: to_json and from_json as nlohmann finds them. Reading throws (DecodeFailure or
// nlohmann's own exceptions) and is only done inside decode_*, where every exception ends as one kCorrupt error.
namespace fuselab {

// Thrown for a value that is well-formed but not valid here: an unknown enumerator, an index out of range.
struct DecodeFailure {
  std::string what;
};

// Unwraps a Result while decoding.
template <typename T>
T decoded(Result<T> result) {
  if (!result.ok()) throw DecodeFailure{result.error().message};
  return std::move(result).value();
}

void to_json(nlohmann::json& json, const Bytes& bytes);
void from_json(const nlohmann::json& json, Bytes& bytes);
void to_json(nlohmann::json& json, const Nanoseconds& duration);
void from_json(const nlohmann::json& json, Nanoseconds& duration);
void to_json(nlohmann::json& json, const ContentHash& hash);
void from_json(const nlohmann::json& json, ContentHash& hash);
void to_json(nlohmann::json& json, const Error& error);
void from_json(const nlohmann::json& json, Error& error);
void to_json(nlohmann::json& json, const Support& support);
void from_json(const nlohmann::json& json, Support& support);
void to_json(nlohmann::json& json, const Availability& availability);
void from_json(const nlohmann::json& json, Availability& availability);
void to_json(nlohmann::json& json, const LaunchConfig& config);
void from_json(const nlohmann::json& json, LaunchConfig& config);
void to_json(nlohmann::json& json, const ParameterSpace& space);
void from_json(const nlohmann::json& json, ParameterSpace& space);
void to_json(nlohmann::json& json, const Target& target);
void from_json(const nlohmann::json& json, Target& target);
void to_json(nlohmann::json& json, const CompiledKernel& kernel);
void from_json(const nlohmann::json& json, CompiledKernel& kernel);
void to_json(nlohmann::json& json, const DeviceInfo& device);
void from_json(const nlohmann::json& json, DeviceInfo& device);
void to_json(nlohmann::json& json, const CompilerReport& report);
void from_json(const nlohmann::json& json, CompilerReport& report);
void to_json(nlohmann::json& json, const BackendReport& report);
void from_json(const nlohmann::json& json, BackendReport& report);

void to_json(nlohmann::json& json, const OptimizationLevel& level);
void from_json(const nlohmann::json& json, OptimizationLevel& level);

}  // namespace fuselab
