// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace fuselab::reports {

// Returns the style sheet that all pages embed.
std::string_view page_style();

}  // namespace fuselab::reports
