// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

// Readers for the small text files by which Linux reports its state.
namespace fuselab::platform {

std::string trimmed(std::string_view text);
// Returns the first line, without blanks around it; empty where there is no such file.
std::string read_line(const std::filesystem::path& path);
// Returns the value of the first line "name<separator>value", such as "cpu MHz : 2600"; empty where there is none.
std::string read_field(const std::filesystem::path& path, std::string_view name, char separator = ':');
// Returns the number that a text begins with; nothing for "max" and the like.
std::optional<std::int64_t> parse_number(std::string_view text);

}  // namespace fuselab::platform
