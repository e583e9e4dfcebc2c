// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

namespace fuselab::gui {

// kUnavailable where a window cannot be shown: nothing names a display, or Qt cannot open the one that is named (a closed SSH
// session's DISPLAY, a missing platform plugin). A picture is drawn without one. Qt's own answer is to abort, so this program is
// started once more to try. To be called first in main(), with its arguments; in that other process it does not return.
Status check_display(int argc, char** argv);

}  // namespace fuselab::gui
