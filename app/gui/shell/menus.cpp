// SPDX-License-Identifier: Apache-2.0
#include "app/gui/shell/menus.h"

#include <QAction>
#include <QKeySequence>
#include <QMenu>
#include <QMenuBar>

namespace fuselab::gui {
namespace {

void add(QMenu* menu, const char* name, const QString& text, const QKeySequence& shortcut, const std::function<void()>& run) {
  QAction* const action = menu->addAction(text, run);
  action->setObjectName(QLatin1String("menu.") + QLatin1String(name));
  action->setShortcut(shortcut);
}

}  // namespace

void fill_menu_bar(QMenuBar& bar, const Menus& menus) {
  QMenu* const file = bar.addMenu(QMenuBar::tr("&File"));
  add(file, "open-model", QMenuBar::tr("Open model…"), {}, menus.open_model);
  QMenu* const models = file->addMenu(QMenuBar::tr("Recent models"));
  models->setObjectName(QStringLiteral("menu.recent-models"));
  QObject::connect(models, &QMenu::aboutToShow, models, [models, fill = menus.fill_recent_models] { fill(*models); });
  add(file, "open-database", QMenuBar::tr("Open another database…"), {}, [open = menus.open_database] { open({}); });
  QMenu* const recent = file->addMenu(QMenuBar::tr("Recent databases"));
  for (const QString& each : menus.recent_databases) recent->addAction(each, [open = menus.open_database, each] { open(each); });
  recent->setEnabled(!menus.recent_databases.isEmpty());
  file->addSeparator();
  add(file, "close", QMenuBar::tr("Close"), QKeySequence::Quit, menus.close);

  QMenu* const job = bar.addMenu(QMenuBar::tr("&Job"));
  job->addActions(menus.job);

  QMenu* const selected = bar.addMenu(QMenuBar::tr("&Selected"));
  selected->setObjectName(QStringLiteral("menu.selected"));
  QObject::connect(selected, &QMenu::aboutToShow, selected, [selected, fill = menus.fill_selected] { fill(*selected); });

  QMenu* const view = bar.addMenu(QMenuBar::tr("&View"));
  view->addActions(menus.pages);
  view->addSeparator();
  view->addMenu(QMenuBar::tr("Theme"))->addActions(menus.themes);
  view->addAction(menus.palette);

  QMenu* const tools = bar.addMenu(QMenuBar::tr("&Tools"));
  add(tools, "doctor", QMenuBar::tr("Doctor…"), {}, menus.doctor);
  add(tools, "trust", QMenuBar::tr("Trusted keys…"), {}, menus.trust);

  QMenu* const help = bar.addMenu(QMenuBar::tr("&Help"));
  add(help, "guide", QMenuBar::tr("Guide to this page"), QKeySequence::HelpContents, menus.guide);
  add(help, "about", QMenuBar::tr("About Fuselab"), {}, menus.about);
}

}  // namespace fuselab::gui
