// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace fuselab::test {

inline std::string recorded_text(const std::string& name) {
  std::ifstream file(std::string(FUSELAB_REPLAY_DATA) + "/" + name);
  EXPECT_TRUE(file.good()) << name;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The text of a file in the extra folder, unpacked by gzip; empty when there is no such folder or file.
inline std::string extra_text(const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(FUSELAB_REPLAY_DIR) / name;
  if (std::string(FUSELAB_REPLAY_DIR).empty() || !std::filesystem::exists(path)) return {};
  std::string text;
  std::FILE* const pipe = popen(("gzip -dc '" + path.string() + "'").c_str(), "r");
  if (pipe == nullptr) return text;
  std::array<char, 65536> block;
  while (const std::size_t size = std::fread(block.data(), 1, block.size(), pipe)) text.append(block.data(), size);
  pclose(pipe);
  return text;
}

}  // namespace fuselab::test
