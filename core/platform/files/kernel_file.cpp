// SPDX-License-Identifier: Apache-2.0
#include "core/platform/files/kernel_file.h"

#include <charconv>
#include <fstream>

namespace fuselab::platform {

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\n") - first + 1));
}

std::string read_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return trimmed(line);
}

std::string read_field(const std::filesystem::path& path, std::string_view name, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t end = line.find(separator);
    if (end != std::string::npos && trimmed(std::string_view(line).substr(0, end)) == name) return trimmed(line.substr(end + 1));
  }
  return {};
}

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end == text.data()) return std::nullopt;
  return number;
}

}  // namespace fuselab::platform
