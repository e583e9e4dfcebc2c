// SPDX-License-Identifier: Apache-2.0
// gui_pictures FOLDER DATABASE MODEL.onnx SUBJECT: what the guide shows of the pages Models, Export and Tuning, on the real engine
// and in both themes. MODEL leaves extents open; SUBJECT was measured into DATABASE, which is only read. The page Tuning shows
// SUBJECT again while its search runs, in a database of its own. Leaves model.fuselab behind in the folder where it was started.
#include <QApplication>
#include <QDeadlineTimer>
#include <QDir>
#include <QLineEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QTemporaryDir>
#include <cstdio>

#include "app/gui/shell/main_window.h"
#include "app/gui/shell/screenshot.h"

namespace {

using namespace fuselab;
using namespace fuselab::gui;

constexpr int kPatience = 300;      // seconds
constexpr int kSearchSeconds = 40;  // of a job of kJobSeconds: its pieces are measured by then, and searches have converged
constexpr int kJobSeconds = 60;

class Pictures {
 public:
  Pictures(MainWindow& window, QString folder, ThemeChoice theme)
      : window_(window), folder_(std::move(folder)), theme_(name_of(theme)) {}

  void take(const QString& what) {
    const Status taken = take_screenshot(window_, QStringLiteral("%1/%2-%3.png").arg(folder_, what, theme_), kPatience);
    if (taken.ok()) return;
    std::fprintf(stderr, "%s: %s\n", qPrintable(what), taken.error().message.c_str());
    all_ = false;
  }
  void press(const char* button) {
    if (auto* found = window_.findChild<QPushButton*>(QLatin1String(button))) found->click();
  }
  void tab(const char* tabs, int index) {
    if (auto* found = window_.findChild<QTabWidget*>(QLatin1String(tabs))) found->setCurrentIndex(index);
  }
  bool all() const { return all_; }

 private:
  MainWindow& window_;
  QString folder_, theme_;
  bool all_ = true;
};

bool render(ThemeChoice theme, const QString& folder, const QStringList& arguments) {
  QTemporaryDir scratch;
  Settings settings(scratch.filePath(QStringLiteral("settings.ini")));
  settings.set_theme(theme);
  apply_theme(*qApp, theme);
  engine::Config config = engine::config_from_environment(QCoreApplication::applicationFilePath().toStdString());
  config.database = arguments[2].toStdString();
  config.read_only = true;
  MainWindow::Options options;
  options.read_only = true;
  options.database = arguments[2];
  MainWindow window([config] { return engine::Engine::open(config); }, settings, options);
  window.resize(1280, 800);
  window.show_page(PageId::kModels, arguments[3]);
  window.show();
  Pictures pictures(window, folder, theme);
  pictures.take(QStringLiteral("models-extents"));
  pictures.press("models.extents.show");
  pictures.take(QStringLiteral("models-graph"));
  pictures.tab("models.tabs", 1);
  pictures.take(QStringLiteral("models-weights"));
  pictures.tab("models.tabs", 2);
  pictures.take(QStringLiteral("models-barriers"));
  pictures.tab("models.tabs", 3);
  pictures.press("models.run.start");
  pictures.take(QStringLiteral("models-run"));
  window.show_page(PageId::kExport, arguments[4]);
  pictures.take(QStringLiteral("export"));
  if (auto* file = window.findChild<QLineEdit*>(QStringLiteral("export.file"))) file->setText(QStringLiteral("model.fuselab"));
  pictures.press("export.write");
  pictures.take(QStringLiteral("export-bundle"));
  return pictures.all();
}

bool render_search(ThemeChoice theme, const QString& folder, const QStringList& arguments) {
  QTemporaryDir scratch;
  Settings settings(scratch.filePath(QStringLiteral("settings.ini")));
  settings.set_theme(theme);
  apply_theme(*qApp, theme);
  engine::Config config = engine::config_from_environment(QCoreApplication::applicationFilePath().toStdString());
  config.database = scratch.filePath(QStringLiteral("fuselab.db")).toStdString();
  MainWindow::Options options;
  options.run = true;
  options.database = QString::fromStdString(config.database.string());
  options.default_spec.subjects = {arguments[4].toStdString()};
  options.default_spec.devices.only = {"cpu"};
  options.default_spec.budget_seconds = kJobSeconds;
  MainWindow window([config] { return engine::Engine::open(config); }, settings, options);
  window.resize(1280, 800);
  window.show_page(PageId::kTuning);
  window.show();
  QDeadlineTimer search(kSearchSeconds * 1000);
  while (!search.hasExpired()) QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 50);
  Pictures pictures(window, folder, theme);
  pictures.take(QStringLiteral("tuning"));
  return pictures.all();
}

}  // namespace

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  const QStringList arguments = QCoreApplication::arguments();
  if (arguments.size() != 5) {
    std::fprintf(stderr, "usage: gui_pictures FOLDER DATABASE MODEL.onnx SUBJECT\n");
    return 2;
  }
  QDir().mkpath(arguments[1]);
  bool all = true;
  for (ThemeChoice theme : {ThemeChoice::kLight, ThemeChoice::kDark}) {
    all = render(theme, arguments[1], arguments) && all;
    all = render_search(theme, arguments[1], arguments) && all;
  }
  return all ? 0 : 3;
}
