// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace fuselab::engine {

// Checks arguments of a compiler, separated by blanks, that a file states for a kernel. They may choose how its text is translated;
// none may make the compiler read, write or run another file.
// Fails with kInvalidArgument and the first that is refused.
Status check_own_flags(std::string_view flags);

}  // namespace fuselab::engine
