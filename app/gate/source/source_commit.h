// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace fuselab::engine {

// The commit that this program was built from, 40 digits, "-dirty" behind it where the sources were changed; "unknown" where they
// were no repository. As of the build, not of where it runs.
std::string_view source_commit();

}  // namespace fuselab::engine
