// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/base/result.h"

namespace fuselab::platform {

// Returns the Error for a system call that failed with `number` (an errno): "write '/x/y': No space left on device". ENOENT becomes
// kNotFound, ENOMEM kOutOfMemory, the rest kIo.
Error os_error(std::string_view what, int number);
// Does the same with the calling thread's errno.
Error last_os_error(std::string_view what);
// Does the same for a file or folder that could not be made. ENOENT, as /proc answers, is kIo here: the call was refused, nothing
// was looked up.
Error creation_error(std::string_view what, int number);

}  // namespace fuselab::platform
