// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/backend/device_info.h"

namespace fuselab::engine {

// Returns the environment that figures of each device would be stored with now, by device id. Reads facts about the machine from
// files.
std::map<std::string, std::string> environments_here(const std::vector<BackendReport>& backends);

}  // namespace fuselab::engine
