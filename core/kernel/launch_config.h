// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/result.h"

namespace fuselab {

using ParameterValue = std::variant<std::int64_t, std::string>;
std::string parameter_text(const ParameterValue& value);

// One point of a parameter space: parameter → value. A value type, ordered by name.
// Text form, also its key and CLI argument: "threads=2,tile_n=64,unroll=4,vector=8".
class LaunchConfig {
 public:
  LaunchConfig() = default;
  LaunchConfig(std::initializer_list<std::pair<const std::string, ParameterValue>> values) : values_(values) {}

  static Result<LaunchConfig> parse(std::string_view text);
  std::string text() const;

  void set(std::string name, ParameterValue value) { values_[std::move(name)] = std::move(value); }
  bool has(std::string_view name) const { return values_.find(std::string(name)) != values_.end(); }
  std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  std::string choice(std::string_view name, std::string_view otherwise) const;
  const std::map<std::string, ParameterValue>& values() const { return values_; }

  auto operator<=>(const LaunchConfig&) const = default;

 private:
  std::map<std::string, ParameterValue> values_;
};

}  // namespace fuselab
