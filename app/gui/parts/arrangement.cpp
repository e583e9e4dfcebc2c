// SPDX-License-Identifier: Apache-2.0
#include "app/gui/parts/arrangement.h"

#include <QAbstractScrollArea>
#include <QApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace fuselab::gui {

QSplitter* make_splitter(Qt::Orientation orientation, std::initializer_list<QWidget*> parts, std::initializer_list<int> sizes) {
  auto* splitter = new QSplitter(orientation);
  splitter->setChildrenCollapsible(false);
  splitter->setHandleWidth(8);
  for (QWidget* part : parts) splitter->addWidget(part);
  int index = 0;
  for (int size : sizes) splitter->setStretchFactor(index++, size);
  splitter->setSizes(QList<int>(sizes));
  return splitter;
}

QWidget* make_row(std::initializer_list<QWidget*> parts, const QWidget* wide) {
  auto* all = new QWidget;
  auto* row = new QHBoxLayout(all);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(8);
  for (QWidget* part : parts) row->addWidget(part, part == wide ? 1 : 0);
  if (wide == nullptr) row->addStretch(1);
  return all;
}

QWidget* make_column(std::initializer_list<QWidget*> parts, int margin) {
  auto* all = new QWidget;
  auto* column = new QVBoxLayout(all);
  column->setContentsMargins(margin, margin, margin, margin);
  column->setSpacing(8);
  for (QWidget* part : parts) {
    const bool grows = qobject_cast<QAbstractScrollArea*>(part) != nullptr || qobject_cast<QSplitter*>(part) != nullptr ||
                       qobject_cast<QStackedWidget*>(part) != nullptr;
    column->addWidget(part, grows ? 1 : 0);
  }
  return all;
}

QLabel* make_section(const QString& title) {
  auto* label = new QLabel(title);
  label->setProperty("role", "section");
  return label;
}

QLabel* make_line(const QString& name) {
  auto* line = new QLabel;
  line->setObjectName(name);
  line->setWordWrap(true);
  line->setTextInteractionFlags(Qt::TextSelectableByMouse);
  line->setFocusPolicy(Qt::NoFocus);
  line->hide();
  return line;
}

void show_line(QLabel* line, const QString& text, Tone tone) {
  QPalette colors = QApplication::palette();
  colors.setColor(QPalette::WindowText, colors_for(line).of(tone));
  line->setPalette(tone == Tone::kNeutral ? QPalette() : colors);
  line->setText(text);
  line->setVisible(!text.isEmpty());
}

}  // namespace fuselab::gui
