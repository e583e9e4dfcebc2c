// SPDX-License-Identifier: Apache-2.0
#pragma once

class QWidget;

namespace fuselab::gui {

// Lets the wheel scroll past the lists and numbers of a form: it changes one only where that has the focus. For fields that are
// there when it is called.
void guard_from_wheel(QWidget& form);

}  // namespace fuselab::gui
