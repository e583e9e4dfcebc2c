// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <functional>

class QToolButton;
class QWidget;

namespace fuselab::gui {

// The buttons above every plot and chart, so that all of them are worked alike.
QToolButton* make_plot_button(QWidget* parent, const QString& name, const QString& text, const QString& tooltip);
// With a menu: save(file) once the user has named one, and copy(). `title()` proposes the file's name.
QToolButton* make_export_button(QWidget* parent, const QString& name, std::function<QString()> title,
                                std::function<void(const QString& file)> save, std::function<void()> copy);

}  // namespace fuselab::gui
