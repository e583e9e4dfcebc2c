// SPDX-License-Identifier: Apache-2.0
#include "core/measure/protocol.h"

namespace fuselab {

std::string_view name_of(CacheMode mode) {
  switch (mode) {
    case CacheMode::kWarm: return "warm";
    case CacheMode::kCold: return "cold";
    case CacheMode::kRotating: return "rotating";
    case CacheMode::kFirstLaunch: return "first-launch";
  }
  FL_ASSERT(false);
}

Result<CacheMode> parse_cache_mode(std::string_view name) {
  std::string known;
  for (const CacheMode mode : kCacheModes) {
    if (name_of(mode) == name) return mode;
    known += (known.empty() ? "" : ", ") + std::string(name_of(mode));
  }
  return invalid_argument("unknown cache mode '" + std::string(name) + "'; known: " + known);
}

MetricIdentity metric_of(const Protocol& protocol) {
  MetricIdentity metric;
  metric.mode = protocol.mode;
  metric.inputs = protocol.inputs;
  metric.detail = "samples=" + std::to_string(protocol.samples);
  return metric;
}

MetricIdentity metric_of_given_config(const Protocol& protocol) {
  MetricIdentity metric = metric_of(protocol);
  metric.detail += ", as given";
  return metric;
}

ContentHash MetricIdentity::key() const {
  return IdentityHasher("metric")
      .add("mode", name_of(mode))
      .add("what", what)
      .add("threads", std::int64_t{threads})
      .add("inputs.pattern", name_of(inputs.pattern))
      .add("inputs.seed", std::to_string(inputs.seed))
      .add("protocol_version", std::int64_t{protocol_version})
      .add("detail", detail)
      .finish();
}

ContentHash EnvironmentIdentity::key() const {
  return IdentityHasher("environment")
      .add("host", host)
      .add("device_uuid", device_uuid)
      .add("driver", driver)
      .add("cpu_model", cpu_model)
      .add("microcode", microcode)
      .add("os_kernel", os_kernel)
      .add("clock_policy", clock_policy)
      .add("tool_version", tool_version)
      .finish();
}

}  // namespace fuselab
