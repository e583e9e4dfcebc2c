// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/base/result.h"

namespace fuselab::cpu {

// Checks that flags stored with a kernel may be given to a compiler: only flags that Fuselab itself has ever compiled with, so that
// no record loads a plug-in, reads or writes a file.
// Fails with kUnsupported, naming the first other flag.
Status check_recorded_flags(std::string_view flags);

}  // namespace fuselab::cpu
