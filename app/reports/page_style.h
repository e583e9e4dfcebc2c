// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace fuselab::reports {

// The style sheet of all pages, to stand within one.
std::string_view page_style();

}  // namespace fuselab::reports
