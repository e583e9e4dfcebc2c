// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fuselab::platform {

// Ends the process at once at Ctrl-C, with this line on stderr and this exit code, until something else takes the signal. `line`
// must stay. Of one thread, at the start of a program.
void end_at_interrupt(const char* line, int exit_code);

}  // namespace fuselab::platform
