// SPDX-License-Identifier: Apache-2.0
#include "app/gui/command_palette.h"

#include <QAction>
#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>

namespace fuselab::gui {

CommandPalette::CommandPalette(QWidget* parent)
    : QDialog(parent, Qt::Popup), input_(new QLineEdit(this)), list_(new QListWidget(this)) {
  setObjectName(QStringLiteral("commandPalette"));
  setWindowTitle(tr("Commands"));
  input_->setPlaceholderText(tr("Type a command"));
  input_->setAccessibleName(tr("Command"));
  list_->setAccessibleName(tr("Matching commands"));
  list_->setFocusPolicy(Qt::NoFocus);
  auto* column = new QVBoxLayout(this);
  column->addWidget(input_);
  column->addWidget(list_);
  input_->installEventFilter(this);
  connect(input_, &QLineEdit::textChanged, this, &CommandPalette::filter);
  connect(input_, &QLineEdit::returnPressed, this, &CommandPalette::run_chosen);
  connect(list_, &QListWidget::itemClicked, this, &CommandPalette::run_chosen);
}

void CommandPalette::popup() {
  QWidget* window = parentWidget();
  resize(460, 320);
  move(window->mapToGlobal(QPoint((window->width() - width()) / 2, 60)));
  input_->clear();
  filter({});
  show();
  input_->setFocus();
}

void CommandPalette::filter(const QString& text) {
  list_->clear();
  for (QAction* action : actions_) {
    if (!action->isEnabled() || !action->text().contains(text, Qt::CaseInsensitive)) continue;
    QString const shortcut = action->shortcut().toString(QKeySequence::NativeText);
    auto* item =
        new QListWidgetItem(shortcut.isEmpty() ? action->text() : QStringLiteral("%1   (%2)").arg(action->text(), shortcut), list_);
    item->setData(Qt::UserRole, QVariant::fromValue(action));
  }
  list_->setCurrentRow(0);
}

void CommandPalette::run_chosen() {
  const QListWidgetItem* item = list_->currentItem();
  auto* action = item != nullptr ? item->data(Qt::UserRole).value<QAction*>() : nullptr;
  hide();
  if (action != nullptr) action->trigger();
}

// Up and Down move in the list while the text keeps the focus.
bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress) {
    int const key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Up || key == Qt::Key_Down) {
      QApplication::sendEvent(list_, event);
      return true;
    }
  }
  return QDialog::eventFilter(watched, event);
}

}  // namespace fuselab::gui
