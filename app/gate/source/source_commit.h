// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace fuselab::engine {

// Returns the commit that this program was built from, 40 digits, followed by "-dirty" where the sources were changed; "unknown"
// where the sources were in no repository. Fixed at build time, not taken from the folder it runs in.
std::string_view source_commit();

}  // namespace fuselab::engine
