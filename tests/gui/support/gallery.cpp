// SPDX-License-Identifier: Apache-2.0
// gui_gallery FOLDER [PAGE]: every page, or the one that is named, and every tab on canned views, a chosen trial among them, in
// both themes and three sizes, as PNG files: what people look at when they change how a page looks.
#include <QApplication>
#include <QDir>
#include <QTabWidget>
#include <QTemporaryDir>
#include <cstdio>

#include "app/gui/pages/profile/profile_page.h"
#include "app/gui/shell/main_window.h"
#include "app/gui/shell/screenshot.h"
#include "app/gui/tables/table_view.h"
#include "tests/gui/support/canned_profile.h"
#include "tests/gui/support/fake_engine.h"
#include "tests/gui/support/gate_runs.h"

namespace {

using namespace fuselab;
using namespace fuselab::gui;

struct Frame {
  QString folder;
  ThemeChoice theme;
  QSize size;
};

bool take(MainWindow& window, const QString& what, const Frame& frame) {
  const QString file = QStringLiteral("%1/%2_%3_%4x%5.png")
                           .arg(frame.folder, what, name_of(frame.theme))
                           .arg(frame.size.width())
                           .arg(frame.size.height());
  const Status taken = take_screenshot(window, file, 30);
  if (!taken.ok()) std::fprintf(stderr, "%s\n", taken.error().message.c_str());
  return taken.ok();
}

// "Queue (4 waiting)" → "queue".
QString file_word(const QString& tab) {
  return tab.section(QLatin1Char('('), 0, 0).trimmed().toLower().replace(QLatin1Char(' '), QLatin1Char('-'));
}

// Every tab of the page, each as it is seen when it is chosen.
bool take_tabs(MainWindow& window, PageId page, const Frame& frame) {
  bool all = true;
  for (QTabWidget* tabs : window.page(page)->findChildren<QTabWidget*>()) {
    for (int tab = 0; tab < tabs->count() && tabs->isVisible(); ++tab) {
      tabs->setCurrentIndex(tab);
      all = take(window, name_of(page) + QLatin1Char('-') + file_word(tabs->tabText(tab)), frame) && all;
    }
  }
  return all;
}

bool render(PageId page, const Frame& frame) {
  QTemporaryDir scratch;
  Settings settings(scratch.filePath(QStringLiteral("settings.ini")));
  settings.set_theme(frame.theme);
  apply_theme(*qApp, frame.theme);
  auto script = std::make_shared<test::EngineScript>();
  script->tables.front() = test::canned_doubtful_table();
  MainWindow::Options options;
  options.database = QStringLiteral("canned.db");
  options.history_files = {test::write_gate_runs(scratch.path())};
  options.subjects = {"resnet50", "bert-base-layer", "w3-residual-rmsnorm"};
  options.run = page == PageId::kTuning;
  script->job->push(engine::LogLine{engine::LogLine::Level::kInfo, "Waiting: another session measures on this machine"});
  script->job->push(engine::LogLine{engine::LogLine::Level::kWarning, "decoder/swiglu on cpu:0: the compiler was killed"});
  test::push_busy_job(*script->job, 120);
  MainWindow window(test::fake_factory(script), settings, options);
  window.show_page(page);
  window.resize(frame.size);
  window.show();
  bool all = take(window, name_of(page), frame);
  if (auto* profile = qobject_cast<ProfilePage*>(window.page(page))) {
    engine::ProfileView before = test::canned_profile();
    before.profile.config = "threads=1,vector=16";
    profile->show_profile(std::move(before), nullptr);
    profile->show_profile(test::canned_profile_of_two_functions(), test::canned_timeline());
    all = take(window, QStringLiteral("profile-shown"), frame) && all;
  }
  if (auto* results = window.page(page)->findChild<TableView*>(QStringLiteral("results.table"))) {
    results->select_row(3);
    all = take(window, QStringLiteral("results-chosen"), frame) && all;
  }
  return take_tabs(window, page, frame) && all;
}

}  // namespace

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  if (argc != 2 && argc != 3) {
    std::fprintf(stderr, "usage: gui_gallery FOLDER [PAGE]\n");
    return 2;
  }
  const QString folder = QString::fromLocal8Bit(argv[1]);
  QDir().mkpath(folder);
  bool all = true;
  for (ThemeChoice theme : {ThemeChoice::kLight, ThemeChoice::kDark}) {
    for (const QSize& size : {MainWindow::kSmallest, QSize(1280, 800), QSize(1920, 1080)}) {
      for (PageId page : kAllPages) {
        if (argc == 2 || name_of(page) == QLatin1String(argv[2])) all = render(page, {folder, theme, size}) && all;
      }
    }
  }
  return all ? 0 : 3;
}
