// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace fuselab::reports {

// A JSON text with what libraries leave as it is and a terminal follows (DEL and C1) as escapes: they can stand in strings only,
// where an escape means the same.
std::string with_escaped_controls(std::string_view json);

}  // namespace fuselab::reports
