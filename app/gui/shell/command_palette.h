// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>
#include <functional>
#include <vector>

#include "app/gui/link/command.h"

class QLineEdit;
class QListWidget;

namespace fuselab::gui {

// A dialog that finds any command by a part of its name (Ctrl+Shift+P). Enter runs the first one that matches; a command that
// cannot be used now is greyed, not hidden.
class CommandPalette : public QDialog {
  Q_OBJECT

 public:
  using Source = std::function<std::vector<Command>()>;

  // `source` is called each time before the palette takes the focus.
  CommandPalette(Source source, QWidget* parent);
  void popup();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void filter(const QString& text);
  void run_chosen();

  Source source_;
  std::vector<Command> commands_;
  QLineEdit* input_;
  QListWidget* list_;
};

}  // namespace fuselab::gui
