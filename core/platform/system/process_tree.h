// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fuselab::platform {

// Sends SIGKILL to a process and all its descendants. Each is stopped before its children are looked up, so that it cannot start
// more of them meanwhile. `pid` must not have been waited for yet: its number may otherwise belong to another process.
void kill_process_tree(int pid);

// Returns true when there is such a process that has not ended. One that ended counts as gone even before it has been waited for.
bool process_lives(int pid);

}  // namespace fuselab::platform
