// SPDX-License-Identifier: Apache-2.0
#include "app/gui/look/display.h"

#include <QApplication>
#include <QProcess>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>

namespace fuselab::gui {
namespace {

constexpr const char* kTrialVariable = "FUSELAB_GUI_DISPLAY_TRIAL";
constexpr int kTrialMilliseconds = 30'000;
constexpr const char* kPlatformVariable = "QT_QPA_PLATFORM";
constexpr const char* kInstead = "`fuselab run` does the same in the terminal, and --screenshot needs no display";

bool names_a_display(const QStringList& arguments) {
  constexpr std::array kVariables = {"DISPLAY", "WAYLAND_DISPLAY", kPlatformVariable};
  constexpr std::array kOptions = {"-platform", "--platform", "-display", "--display"};
  return std::any_of(kVariables.begin(), kVariables.end(), [](const char* name) { return !qEnvironmentVariableIsEmpty(name); }) ||
         std::any_of(kOptions.begin(), kOptions.end(), [&](const char* name) { return arguments.contains(QLatin1String(name)); });
}

bool wants_a_picture(const QStringList& arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](const QString& argument) {
    return argument == QLatin1String("--screenshot") || argument.startsWith(QLatin1String("--screenshot="));
  });
}

[[noreturn]] void open_and_leave(int argc, char** argv) {
  std::signal(SIGABRT, [](int /*signal*/) { std::_Exit(EXIT_FAILURE); });  // no core dump of a trial
  const QApplication application(argc, argv);
  std::_Exit(EXIT_SUCCESS);
}

// Qt says what failed in its first line, and what it thinks of reinstalling in the others.
std::string first_line(const QByteArray& complaint) {
  const std::string line = complaint.left(complaint.indexOf('\n')).toStdString();
  return line.empty() ? "Qt gave no reason" : line;
}

// With an application of its own, without a display, that ends before the real one begins.
Status try_display(int argc, char** argv, const QStringList& arguments) {
  const QCoreApplication application(argc, argv);
  QProcess trial;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QLatin1String(kTrialVariable), QStringLiteral("1"));
  trial.setProcessEnvironment(environment);
  trial.start(QCoreApplication::applicationFilePath(), arguments);
  const bool ended = trial.waitForFinished(kTrialMilliseconds);
  if (ended && trial.exitStatus() == QProcess::NormalExit && trial.exitCode() == EXIT_SUCCESS) return {};
  const std::string reason = ended ? first_line(trial.readAllStandardError()) : "no answer within 30 s";
  return Error{ErrorCode::kUnavailable, "the display cannot be opened (" + reason + "), so no window; " + kInstead};
}

}  // namespace

Status check_display(int argc, char** argv) {
  if (qEnvironmentVariableIsSet(kTrialVariable)) open_and_leave(argc, argv);
  const QStringList arguments(argv + 1, argv + argc);
  if (!names_a_display(arguments) && wants_a_picture(arguments)) qputenv(kPlatformVariable, "offscreen");
  if (names_a_display(arguments)) return try_display(argc, argv, arguments);
  return Error{ErrorCode::kUnavailable,
               std::string("there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set), so no window; ") + kInstead};
}

}  // namespace fuselab::gui
