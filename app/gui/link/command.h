// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAction>
#include <QString>
#include <functional>

namespace fuselab::gui {

// Something that can be done now, or could be if there were something to do it with: what the palette lists. Made anew whenever it
// is asked for, and valid until then.
struct Command {
  QString text;
  QString shortcut;
  bool enabled = true;
  std::function<void()> run;
};

inline Command command_of(QAction* action) {
  return {action->text(), action->shortcut().toString(QKeySequence::NativeText), action->isEnabled(),
          [action] { action->trigger(); }};
}

}  // namespace fuselab::gui
