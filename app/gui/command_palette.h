// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>
#include <QList>

class QLineEdit;
class QListWidget;

namespace fuselab::gui {

// Every command by typing a part of its name (Ctrl+Shift+P). Enter runs the first one that matches.
class CommandPalette : public QDialog {
  Q_OBJECT

 public:
  explicit CommandPalette(QWidget* parent);
  void add(QAction* action) { actions_ << action; }
  void popup();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void filter(const QString& text);
  void run_chosen();

  QList<QAction*> actions_;
  QLineEdit* input_;
  QListWidget* list_;
};

}  // namespace fuselab::gui
