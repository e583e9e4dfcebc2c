// SPDX-License-Identifier: Apache-2.0
#include "app/gui/shell/command_palette.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>
#include <algorithm>

namespace fuselab::gui {

CommandPalette::CommandPalette(Source source, QWidget* parent)
    : QDialog(parent, Qt::Popup), source_(std::move(source)), input_(new QLineEdit(this)), list_(new QListWidget(this)) {
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
  commands_ = source_();
  resize(std::min(560, window->width()), std::min(380, window->height() - 80));
  move(window->mapToGlobal(QPoint((window->width() - width()) / 2, 60)));
  input_->clear();
  filter({});
  show();
  input_->setFocus();
}

void CommandPalette::filter(const QString& text) {
  list_->clear();
  int first = -1;
  for (std::size_t at = 0; at < commands_.size(); ++at) {
    const Command& command = commands_[at];
    if (!command.text.contains(text.trimmed(), Qt::CaseInsensitive)) continue;
    auto* item = new QListWidgetItem(
        command.shortcut.isEmpty() ? command.text : QStringLiteral("%1   (%2)").arg(command.text, command.shortcut), list_);
    item->setData(Qt::UserRole, static_cast<qulonglong>(at));
    if (!command.enabled) item->setFlags(item->flags() & ~Qt::ItemIsEnabled);
    if (command.enabled && first < 0) first = list_->count() - 1;
  }
  list_->setCurrentRow(first);
}

void CommandPalette::run_chosen() {
  const QListWidgetItem* item = list_->currentItem();
  if (item == nullptr || !item->flags().testFlag(Qt::ItemIsEnabled)) return;
  const auto run = commands_[item->data(Qt::UserRole).toULongLong()].run;
  hide();
  run();
}

// Up and Down move in the list while the text keeps the focus.
bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Up || key == Qt::Key_Down) {
      QApplication::sendEvent(list_, event);
      return true;
    }
  }
  return QDialog::eventFilter(watched, event);
}

}  // namespace fuselab::gui
