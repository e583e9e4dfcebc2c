// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/backend/backend.h"

namespace fuselab::cpu {

// Compiles and loads one tiny kernel: a compiler that answers --version may still lack its assembler, its linker or the C library's
// headers. Returns available, or the reason in one line. Takes as long as a compiler takes to start.
Availability trial_compilation(Compiler& compiler, const Target& target);

}  // namespace fuselab::cpu
