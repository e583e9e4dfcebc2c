// SPDX-License-Identifier: Apache-2.0
#include "core/platform/system/early_interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <cstring>

namespace fuselab::platform {
namespace {

const char* g_line = "";
int g_exit_code = 0;

// A handler may write and end, and hardly anything else.
void end_at_once(int /*signal*/) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, g_line, std::strlen(g_line));
  ::_exit(g_exit_code);
}

}  // namespace

void end_at_interrupt(const char* line, int exit_code) {
  g_line = line;
  g_exit_code = exit_code;
  if (::signal(SIGINT, end_at_once) == SIG_IGN) ::signal(SIGINT, SIG_IGN);  // as a job in the background inherits it
}

}  // namespace fuselab::platform
