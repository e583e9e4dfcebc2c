// SPDX-License-Identifier: Apache-2.0
#include "core/platform/terminal_size.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace fuselab::platform {

TerminalSize terminal_of_stdout() {
  TerminalSize size;
  size.is_terminal = isatty(STDOUT_FILENO) == 1;
  winsize window{};
  if (size.is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0) size.columns = window.ws_col;
  return size;
}

}  // namespace fuselab::platform
