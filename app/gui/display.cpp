// SPDX-License-Identifier: Apache-2.0
#include "app/gui/display.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QApplication>
#include <algorithm>
#include <array>
#include <string>

namespace fuselab::gui {
namespace {

constexpr const char* kInstead =
    "`fuselab run` does the same in the terminal, and QT_QPA_PLATFORM=offscreen is enough for --screenshot";

bool names_a_display(const QStringList& arguments) {
  constexpr std::array kVariables = {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"};
  constexpr std::array kOptions = {"-platform", "--platform", "-display", "--display"};
  return std::any_of(kVariables.begin(), kVariables.end(), [](const char* name) { return !qEnvironmentVariableIsEmpty(name); }) ||
         std::any_of(kOptions.begin(), kOptions.end(), [&](const char* name) { return arguments.contains(QLatin1String(name)); });
}

[[noreturn]] void open_and_leave(int argc, char** argv, int complaints) {
  rlimit const no_core_dump{0, 0};
  setrlimit(RLIMIT_CORE, &no_core_dump);
  dup2(complaints, STDERR_FILENO);
  QApplication const application(argc, argv);
  _exit(0);
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 1024> part{};
  for (ssize_t count = 0; (count = read(descriptor, part.data(), part.size())) > 0;) text.append(part.data(), count);
  return text;
}

// Qt says what failed in its first lines, and what it thinks of reinstalling in the others.
std::string first_sentence(const std::string& complaint) {
  std::string line = complaint.substr(0, complaint.find('\n'));
  return line.empty() ? "Qt gave no reason" : line;
}

}  // namespace

Status check_display(int argc, char** argv) {
  if (!names_a_display(QStringList(argv, argv + argc)))
    return Error{ErrorCode::kUnavailable,
                 std::string("there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set), so no window; ") + kInstead};
  std::array<int, 2> complaints{};
  if (pipe2(complaints.data(), O_CLOEXEC) != 0) return {};
  pid_t const child = fork();
  if (child == 0) open_and_leave(argc, argv, complaints[1]);
  close(complaints[1]);
  std::string const complaint = read_all(complaints[0]);
  close(complaints[0]);
  int ended = 0;
  if (child < 0 || waitpid(child, &ended, 0) != child || ended == 0) return {};
  return Error{ErrorCode::kUnavailable,
               "the display cannot be opened (" + first_sentence(complaint) + "), so no window; " + kInstead};
}

}  // namespace fuselab::gui
