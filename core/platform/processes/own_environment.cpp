// SPDX-License-Identifier: Apache-2.0
#include "core/platform/processes/own_environment.h"

#include <unistd.h>

#include <string_view>

namespace fuselab::platform {

std::vector<std::pair<std::string, std::string>> own_environment() {
  std::vector<std::pair<std::string, std::string>> variables;
  for (char** line = environ; line != nullptr && *line != nullptr; ++line) {
    const std::string_view text = *line;
    const std::size_t end = text.find('=');
    if (end != std::string_view::npos) variables.emplace_back(text.substr(0, end), text.substr(end + 1));
  }
  return variables;
}

}  // namespace fuselab::platform
