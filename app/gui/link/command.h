// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAction>
#include <QString>
#include <functional>

namespace fuselab::gui {

// A command that the palette lists, enabled or not. The list is made again whenever it is asked for; a command is valid until then.
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
