// SPDX-License-Identifier: Apache-2.0
#include "core/platform/own_environment.h"

#include <unistd.h>

#include <string_view>

namespace fuselab::platform {

std::vector<std::pair<std::string, std::string>> own_environment() {
  std::vector<std::pair<std::string, std::string>> variables;
  for (char** line = environ; line != nullptr && *line != nullptr; ++line) {
    std::string_view const text = *line;
    std::size_t const end = text.find('=');
    if (end != std::string_view::npos) variables.emplace_back(text.substr(0, end), text.substr(end + 1));
  }
  return variables;
}

}  // namespace fuselab::platform
