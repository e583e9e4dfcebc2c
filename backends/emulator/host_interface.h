// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/emulator/block_run.h"

namespace fuselab::simt {

// What the kernel's calls and the compiler's instrumentation in its code talk to, in the process that runs a launch. Null: nobody
// watches.
void attach(BlockRun* run, WatchedMemory* memory);

BlockRun& attached_run();
WatchedMemory& attached_memory();

}  // namespace fuselab::simt
