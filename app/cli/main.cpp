// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include "app/cli/command_line.h"

int main(int count, char** words) {
  ::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is a write that fails and says so
  return static_cast<int>(fuselab::cli::run_command_line(count, words));
}
