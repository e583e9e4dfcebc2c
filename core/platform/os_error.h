// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/base/result.h"

namespace fuselab::platform {

// The Error for a system call that failed with `number` (an errno): "write '/x/y': No space left on device".
// ENOENT becomes kNotFound, ENOMEM kOutOfMemory, the rest kIo.
Error os_error(std::string_view what, int number);
// The same with the calling thread's errno.
Error last_os_error(std::string_view what);

}  // namespace fuselab::platform
