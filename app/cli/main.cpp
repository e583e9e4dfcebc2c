// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <unistd.h>

#include <cstdlib>

#include "app/cli/command_line.h"

namespace {

// Until a verb takes the signal: backends are looked for first. Workers end with this process.
void end_at_once(int /*signal*/) {
  constexpr char kLine[] = "fuselab: interrupted\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kLine, sizeof kLine - 1);
  ::_exit(static_cast<int>(fuselab::cli::ExitCode::kInconclusive));
}

}  // namespace

int main(int count, char** words) {
  ::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is a write that fails and says so
  ::signal(SIGINT, end_at_once);
  const char* const temporary = std::getenv("TMPDIR");
  if (temporary != nullptr && *temporary == '\0') ::unsetenv("TMPDIR");  // as for other programs: the system's folder
  return static_cast<int>(fuselab::cli::run_command_line(count, words));
}
