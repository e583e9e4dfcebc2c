// SPDX-License-Identifier: Apache-2.0
// gui_gallery FOLDER: every page on canned views, in both themes and three sizes, as PNG files: what people look at when they
// change how a page looks.
#include <QApplication>
#include <QDir>
#include <QTemporaryDir>
#include <cstdio>

#include "app/gui/main_window.h"
#include "app/gui/screenshot.h"
#include "tests/gui/support/fake_session.h"

namespace {

using namespace fuselab;
using namespace fuselab::gui;

bool render(const QString& folder, PageId page, ThemeChoice theme, const QSize& size) {
  QTemporaryDir scratch;
  Settings settings(scratch.filePath(QStringLiteral("settings.ini")));
  settings.set_theme(theme);
  apply_theme(*qApp, theme);
  auto script = std::make_shared<test::SessionScript>();
  MainWindow::Options options;
  options.database = QStringLiteral("canned.db");
  options.subjects = {"resnet50", "bert-base-layer", "w3-residual-rmsnorm"};
  options.run = page == PageId::kTuning;
  test::push_busy_job(*script->job, 120);
  MainWindow window(test::fake_factory(script), settings, options);
  window.show_page(page);
  window.resize(size);
  window.show();
  QString const file =
      QStringLiteral("%1/%2_%3_%4x%5.png").arg(folder, name_of(page), name_of(theme)).arg(size.width()).arg(size.height());
  Status const taken = take_screenshot(window, file, 30);
  if (!taken.ok()) std::fprintf(stderr, "%s\n", taken.error().message.c_str());
  return taken.ok();
}

}  // namespace

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  if (argc != 2) {
    std::fprintf(stderr, "usage: gui_gallery FOLDER\n");
    return 2;
  }
  QString const folder = QString::fromLocal8Bit(argv[1]);
  QDir().mkpath(folder);
  bool all = true;
  for (ThemeChoice theme : {ThemeChoice::kLight, ThemeChoice::kDark}) {
    for (const QSize& size : {MainWindow::kSmallest, QSize(1280, 800), QSize(1920, 1080)}) {
      for (PageId page : kAllPages) all = render(folder, page, theme, size) && all;
    }
  }
  return all ? 0 : 3;
}
