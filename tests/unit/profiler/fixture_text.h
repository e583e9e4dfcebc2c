// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace fuselab::profile {

inline std::filesystem::path fixture_file(const std::string& name) {
  return std::filesystem::path(FUSELAB_PROFILE_FIXTURES) / name;
}

inline std::string fixture_text(const std::string& name) {
  std::ifstream file(fixture_file(name));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace fuselab::profile
