// SPDX-License-Identifier: Apache-2.0
#include <QApplication>
#include <QTemporaryDir>
#include <QTimer>
#include <csignal>
#include <cstdio>
#include <memory>

#include "app/engine/job/engine.h"
#include "app/engine/subject/subject.h"
#include "app/gui/link/settings.h"
#include "app/gui/look/display.h"
#include "app/gui/shell/command_line.h"
#include "app/gui/shell/main_window.h"
#include "app/gui/shell/screenshot.h"
#include "core/workloads/workload.h"

namespace {

using namespace fuselab;
using namespace fuselab::gui;

// These codes are those in the table of exit codes for all verbs.
constexpr int kUsage = 2;
constexpr int kEnvironmentUnfit = 6;
constexpr int kScreenshotSeconds = 60;

volatile std::sig_atomic_t g_interrupted = 0;

void note_interrupt(int /*signal*/) {
  g_interrupted = 1;
}

// Ctrl-C in the terminal that started the program closes the window like its button: the job is cancelled, not torn down.
void close_on_interrupt(MainWindow& window) {
  constexpr int kLookEvery = 100;  // milliseconds
  std::signal(SIGINT, note_interrupt);
  std::signal(SIGTERM, note_interrupt);
  auto* look = new QTimer(&window);
  QObject::connect(look, &QTimer::timeout, &window, [&window] {
    if (g_interrupted != 0) window.stop_and_close();
  });
  look->start(kLookEvery);
}

int fail(int code, const std::string& message) {
  std::fprintf(stderr, "fuselab-gui: %s\n", message.c_str());
  return code;
}

engine::Config config_from(const Options& options, PageId page) {
  engine::Config config = engine::config_from_environment(QCoreApplication::applicationFilePath().toStdString());
  if (!options.database.isEmpty()) config.database = options.database.toStdString();
  config.read_only = options.read_only || shows_stored(options, page);
  config.synthetic = options.synthetic;
  return config;
}

MainWindow::Options window_options(const Options& options, const engine::Config& config) {
  MainWindow::Options window;
  window.read_only = options.read_only;
  window.run = options.run;
  window.config = config;
  window.database = QString::fromStdString(config.database.string());
  window.default_spec = options.job;
  window.default_spec.command = QCoreApplication::arguments().join(QLatin1Char(' ')).toStdString();
  window.history_files = options.history_files;
  window.other_databases = options.other_databases;
  window.subjects = engine::default_subjects();
  for (const Workload& workload : builtin_workloads()) window.subjects.push_back(workload.id);
  return window;
}

// Help needs no window.
std::unique_ptr<QCoreApplication> make_application(int& argc, char** argv, bool display) {
  if (display) return std::make_unique<QApplication>(argc, argv);
  return std::make_unique<QCoreApplication>(argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
  const Status display = check_display(argc, argv);
  const auto application = make_application(argc, argv, display.ok());
  QCoreApplication::setApplicationName(QStringLiteral("fuselab-gui"));
  QCoreApplication::setApplicationVersion(QStringLiteral(FUSELAB_VERSION));
  const Result<Options> parsed = parse_options(QCoreApplication::arguments());
  if (!parsed.ok()) return fail(kUsage, parsed.error().message + " (see --help)");
  const Options& options = parsed.value();
  if (!options.information.isEmpty()) {
    std::fputs(options.information.toUtf8().constData(), stdout);
    return 0;
  }
  if (!display.ok()) return fail(kEnvironmentUnfit, display.error().message);
  if (options.check_display) return 0;
  if (const Status subjects = check_subjects(options.job); !subjects.ok()) return fail(kUsage, subjects.error().message);

  // A screenshot must not depend on what the user's own window looked like.
  const bool picture = !options.screenshot.isEmpty();
  QTemporaryDir scratch;
  const auto settings =
      picture ? std::make_unique<Settings>(scratch.filePath(QStringLiteral("settings.ini"))) : std::make_unique<Settings>();
  if (options.theme) settings->set_theme(*options.theme);
  apply_theme(*qApp, settings->theme());

  // A job that starts with the program is seen running.
  const PageId first = options.run ? PageId::kTuning : parse_page(settings->page()).value_or(PageId::kCompare);
  const PageId page = options.page.value_or(first);
  const engine::Config config = config_from(options, page);
  MainWindow window([config] { return engine::Engine::open(config); }, *settings, window_options(options, config));
  window.show_page(page, key_of_subject(options, page));
  if (picture || options.size_given) window.resize(options.size);
  window.show();
  if (!picture) {
    close_on_interrupt(window);
    return QApplication::exec();
  }
  const Status taken = take_screenshot(window, options.screenshot, kScreenshotSeconds);
  if (!taken.ok()) return fail(kEnvironmentUnfit, taken.error().message);
  // The picture shows what is wrong; a script needs the exit code, too.
  const EngineLink& engine = window.bench().engine;
  return engine.failure().isEmpty() ? 0 : fail(exit_code_of_unopened(engine.failure_code()), engine.failure_message());
}
