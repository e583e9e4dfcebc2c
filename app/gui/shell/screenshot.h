// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include "core/base/result.h"

namespace fuselab::gui {

class MainWindow;

// Waits until the window shows its content, then writes it to a PNG. Fails with kTimeout after `seconds`.
Status take_screenshot(MainWindow& window, const QString& file, int seconds);

}  // namespace fuselab::gui
