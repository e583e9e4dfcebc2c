// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fuselab::platform {

// SIGKILL for a process and all its descendants. Each is stopped before its children are looked for, so that it starts no more of
// them meanwhile. `pid` must not have been waited for yet: else the number may be somebody else's.
void kill_process_tree(int pid);

// Whether there is such a process that has not ended. One that ended counts as gone even while nobody has waited for it.
bool process_lives(int pid);

}  // namespace fuselab::platform
