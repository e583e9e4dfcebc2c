// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/nan_loss.h"

#include <algorithm>
#include <string>

namespace fuselab {

bool loses_nan(const LaunchConfig& config) {
  return config.choice(kNanParameter, "") == kNanLost;
}

// Read as text: rows of other versions may hold what today's LaunchConfig does not parse.
bool any_loses_nan(std::string_view configs) {
  const std::string stated = std::string(kNanParameter) + "=" + std::string(kNanLost);
  while (!configs.empty()) {
    const std::size_t end = std::min(configs.find_first_of(",;"), configs.size());
    if (configs.substr(0, end) == stated) return true;
    configs.remove_prefix(std::min(end + 1, configs.size()));
  }
  return false;
}

NanLoss nan_loss_of(std::string_view configs, bool accepted) {
  if (!any_loses_nan(configs)) return NanLoss::kNone;
  return accepted ? NanLoss::kAccepted : NanLoss::kWithheld;
}

}  // namespace fuselab
