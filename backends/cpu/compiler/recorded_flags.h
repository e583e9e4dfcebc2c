// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/base/result.h"

namespace fuselab::cpu {

// Whether flags that were stored with a kernel may be given to a compiler: only those that Fuselab itself ever compiled with, so
// that no record loads a plug-in, reads or writes a file. kUnsupported names the first that is none of them.
Status check_recorded_flags(std::string_view flags);

}  // namespace fuselab::cpu
