// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <functional>

class QAction;
class QMenu;
class QMenuBar;

namespace fuselab::gui {

// What the menu bar offers. Actions belong to their makers, the functions are called for the window's life.
struct Menus {
  std::function<void(QMenu& menu)> fill_selected;  // with what can be done with the chosen mark, each time it is opened
  std::function<void(QMenu& menu)> fill_recent_models;
  QList<QAction*> job;    // run, pause, cancel, the main job
  QList<QAction*> pages;  // in the order of the navigation
  QList<QAction*> themes;
  QAction* palette = nullptr;
  QStringList recent_databases;                            // newest first
  std::function<void(const QString& file)> open_database;  // empty: ask for one
  std::function<void()> open_model, doctor, trust, guide, about, close;
};

void fill_menu_bar(QMenuBar& bar, const Menus& menus);

}  // namespace fuselab::gui
