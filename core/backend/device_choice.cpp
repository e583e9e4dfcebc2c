// SPDX-License-Identifier: Apache-2.0
#include "core/backend/device_choice.h"

#include <algorithm>

namespace fuselab {

bool names_device(std::string_view name, std::string_view device_id, std::string_view backend) {
  return name == device_id || name == backend;
}

std::size_t preference_rank(const std::vector<std::string>& prefer, std::string_view device_id, std::string_view backend) {
  const auto first =
      std::find_if(prefer.begin(), prefer.end(), [&](const std::string& name) { return names_device(name, device_id, backend); });
  return static_cast<std::size_t>(first - prefer.begin());
}

}  // namespace fuselab
