// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

namespace fuselab::gui {

// Checks that a window can be shown. To be called first in main(), with its arguments. Qt aborts on failure, so this starts the
// program once more to try; in that other process it does not return. Screenshots need no display.
// Fails with kUnavailable where no display is named, or Qt cannot open the one that is (a closed SSH session's DISPLAY, a missing
// platform plugin).
Status check_display(int argc, char** argv);

}  // namespace fuselab::gui
