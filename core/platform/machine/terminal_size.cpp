// SPDX-License-Identifier: Apache-2.0
#include "core/platform/machine/terminal_size.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace fuselab::platform {

namespace {

TerminalSize terminal_of(int descriptor) {
  TerminalSize size;
  size.is_terminal = isatty(descriptor) == 1;
  winsize window{};
  if (!size.is_terminal || ioctl(descriptor, TIOCGWINSZ, &window) != 0) return size;
  if (window.ws_col > 0) size.columns = window.ws_col;
  if (window.ws_row > 0) size.rows = window.ws_row;
  return size;
}

}  // namespace

TerminalSize terminal_of_stdout() {
  return terminal_of(STDOUT_FILENO);
}

TerminalSize terminal_of_stderr() {
  return terminal_of(STDERR_FILENO);
}

}  // namespace fuselab::platform
