// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include <cstdlib>

#include "app/cli/command_line.h"
#include "core/platform/system/early_interrupt.h"

int main(int count, char** words) {
  using fuselab::cli::ExitCode;
  ::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is a write that fails and says so
  // Backends are looked for before a verb takes the signal. Workers end with this process.
  fuselab::platform::end_at_interrupt("fuselab: interrupted\n", static_cast<int>(ExitCode::kInconclusive));
  const char* const temporary = std::getenv("TMPDIR");
  if (temporary != nullptr && *temporary == '\0') ::unsetenv("TMPDIR");  // as for other programs: the system's folder
  return static_cast<int>(fuselab::cli::run_command_line(count, words));
}
