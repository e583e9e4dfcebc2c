// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace fuselab::platform {

// Returns a copy of this process's variables, (name, value), in their order. Must not be called while another thread sets one.
std::vector<std::pair<std::string, std::string>> own_environment();

}  // namespace fuselab::platform
