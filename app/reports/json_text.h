// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace fuselab::reports {

// Escapes control characters that JSON libraries leave as they are and a terminal would obey (DEL and C1). In valid JSON they can
// only stand in strings, where the escape means the same.
std::string with_escaped_controls(std::string_view json);

}  // namespace fuselab::reports
