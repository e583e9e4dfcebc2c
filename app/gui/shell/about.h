// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

class QWidget;

namespace fuselab::gui {

// Shows what the program is, its version and its licences. The dialog deletes itself.
void show_about(const QString& database, QWidget* window);

}  // namespace fuselab::gui
