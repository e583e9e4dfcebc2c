// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QWidget>
#include <initializer_list>

#include "app/gui/look/theme.h"

class QLabel;
class QSplitter;

// How pages and their parts name widgets and put them beside each other. Whatever these return owns what it was given.
namespace fuselab::gui {

// Gives the widgets of one page their names, for tests and for people: Named{"export."}(button, "write", …).
struct Named {
  const char* prefix;

  template <typename Widget>
  Widget* operator()(Widget* widget, const char* name, const QString& label, const QString& tooltip) const {
    widget->setObjectName(QLatin1String(prefix) + QLatin1String(name));
    widget->setAccessibleName(label);
    widget->setToolTip(tooltip);
    return widget;
  }
};

QSplitter* make_splitter(Qt::Orientation orientation, std::initializer_list<QWidget*> parts, std::initializer_list<int> sizes);
// `wide` gets the room that is left; nullptr: an empty space behind them all gets it.
QWidget* make_row(std::initializer_list<QWidget*> parts, const QWidget* wide = nullptr);
// Tables, editors, splitters and stacks share the height that is left.
QWidget* make_column(std::initializer_list<QWidget*> parts, int margin = 0);
QLabel* make_section(const QString& title);
// A sentence of any length, empty and hidden at first; its text can be copied.
QLabel* make_line(const QString& name);
// A line without text takes no room.
void show_line(QLabel* line, const QString& text, Tone tone = Tone::kNeutral);

}  // namespace fuselab::gui
