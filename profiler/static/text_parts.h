// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

// What readers of disassemblers' output take lines apart with. The views are of the text that is given.
namespace fuselab::profile {

// Returns the text without blanks at its ends.
std::string_view trimmed(std::string_view text);

// Returns what stands between separators; what stands in brackets is not taken apart where `whole_brackets` says so.
std::vector<std::string_view> split(std::string_view text, char separator, bool whole_brackets = false);

// Returns the number that the whole text is; nothing where it is none.
std::optional<int> whole_number(std::string_view text);

}  // namespace fuselab::profile
