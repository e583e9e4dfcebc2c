// SPDX-License-Identifier: Apache-2.0
#include "app/engine/kernels/plan_configs.h"

namespace fuselab::engine {
namespace {

constexpr char kBetweenConfigs = ';';

}  // namespace

PlanConfigs PlanConfigs::of(std::string_view text) {
  PlanConfigs configs;
  while (true) {
    const std::size_t end = text.find(kBetweenConfigs);
    configs.each.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return configs;
    text.remove_prefix(end + 1);
  }
}

std::string PlanConfigs::text() const {
  std::string joined;
  for (const std::string& config : each) {
    if (&config != &each.front()) joined += kBetweenConfigs;
    joined += config;
  }
  return joined;
}

}  // namespace fuselab::engine
