// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>

#include "core/base/result.h"

namespace fuselab::gui {

// kUnavailable where a window cannot be shown: nothing names a display, or Qt cannot open the one that is named (a closed SSH
// session's DISPLAY, a missing platform plugin). Qt's own answer is to abort, so a child process tries. To be called before
// threads and before Qt is started; `arguments` begin with the program.
Status check_display(int argc, char** argv);

}  // namespace fuselab::gui
