// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fuselab::platform {

// The size of the terminal behind a standard stream (100 × 24 where that is unknown), and whether there is one.
struct TerminalSize {
  bool is_terminal = false;
  int columns = 100;
  int rows = 24;
};
TerminalSize terminal_of_stdout();
TerminalSize terminal_of_stderr();

}  // namespace fuselab::platform
