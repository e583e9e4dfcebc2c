// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

// The small text files in which Linux tells of itself.
namespace fuselab::platform {

std::string trimmed(std::string_view text);
// The first line, without blanks around it; empty where there is no such file.
std::string read_line(const std::filesystem::path& path);
// The value of the first line "name<separator>value", such as "cpu MHz : 2600"; empty where there is none.
std::string read_field(const std::filesystem::path& path, std::string_view name, char separator = ':');
// What it begins with; nothing for "max" and the like.
std::optional<std::int64_t> parse_number(std::string_view text);

}  // namespace fuselab::platform
