// SPDX-License-Identifier: Apache-2.0
#include "app/deploy/figure_measuring.h"

#include <algorithm>

namespace fuselab::deploy {
namespace {

BundleMeasuring measuring_of(const EnvironmentIdentity& environment, const MetricIdentity& metric) {
  BundleMeasuring measuring;
  measuring.processor = environment.cpu_model;
  measuring.microcode = environment.microcode;
  measuring.os_kernel = environment.os_kernel;
  measuring.clock_policy = environment.clock_policy;
  measuring.tool_version = environment.tool_version;
  measuring.cache_mode = name_of(metric.mode);
  measuring.timed = metric.what;
  measuring.threads = metric.threads;
  measuring.inputs = std::string(name_of(metric.inputs.pattern)) + ", seed " + std::to_string(metric.inputs.seed);
  measuring.protocol_version = metric.protocol_version;
  measuring.detail = metric.detail;
  return measuring;
}

}  // namespace

Status FigureMeasuring::read_identities() {
  if (read_) return {};
  FL_TRY(const Catalog catalog, queries_.catalog());
  environments_.insert(catalog.environments.begin(), catalog.environments.end());
  metrics_.insert(catalog.metrics.begin(), catalog.metrics.end());
  read_ = true;
  return {};
}

Result<int> FigureMeasuring::index_of(const std::string& trial_id) {
  FL_TRY_VOID(read_identities());
  FL_TRY(const auto trial, queries_.trial(trial_id));
  const auto environment = trial ? environments_.find(trial->environment_key) : environments_.end();
  const auto metric = trial ? metrics_.find(trial->metric_key) : metrics_.end();
  if (environment == environments_.end() || metric == metrics_.end())
    return Error{ErrorCode::kNotFound, "how trial " + trial_id + " was measured is not stored"};
  BundleMeasuring measuring = measuring_of(environment->second, metric->second);
  const auto known = std::find(all_.begin(), all_.end(), measuring);
  if (known != all_.end()) return static_cast<int>(known - all_.begin());
  all_.push_back(std::move(measuring));
  return static_cast<int>(all_.size()) - 1;
}

}  // namespace fuselab::deploy
