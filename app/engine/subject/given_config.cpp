// SPDX-License-Identifier: Apache-2.0
#include "app/engine/subject/given_config.h"

#include <algorithm>

namespace fuselab::engine {
namespace {

// Returns "threads=1|2, vector=4|8".
std::string space_text(const ParameterSpace& space) {
  std::string text;
  for (const Parameter& parameter : space.parameters()) {
    text += (text.empty() ? "" : ", ") + parameter.name + "=";
    for (const ParameterValue& value : parameter.values)
      text += (&value == &parameter.values.front() ? "" : "|") + parameter_text(value);
  }
  return text.empty() ? "nothing" : text;
}

}  // namespace

Result<LaunchConfig> completed_config(const LaunchConfig& given, const wire::DescribeReply& described, const std::string& where) {
  LaunchConfig config = described.default_config;
  for (const auto& [name, value] : given.values()) config.set(name, value);
  const Status valid = described.space.check(config);
  if (valid.ok()) return config;
  return invalid_argument("the configuration " + given.text() + " does not fit: " + valid.error().message + "; " + where +
                          " takes " + space_text(described.space));
}

Result<DeviceInfo> on_target(DeviceInfo device, const std::string& target) {
  if (target.empty() || device.target.id == target) return device;
  const auto found = std::find_if(device.other_targets.begin(), device.other_targets.end(),
                                  [&](const Target& other) { return other.id == target; });
  if (found != device.other_targets.end()) {
    device.target = *found;
    return device;
  }
  std::string known = device.target.id;
  for (const Target& other : device.other_targets) known += ", " + other.id;
  return Error{ErrorCode::kUnavailable, device.id + " does not run code for " + target + "; it runs " + known};
}

}  // namespace fuselab::engine
