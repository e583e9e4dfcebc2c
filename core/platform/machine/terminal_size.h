// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fuselab::platform {

// Whether a standard stream is a terminal, and how wide it is (100 where that is unknown).
struct TerminalSize {
  bool is_terminal = false;
  int columns = 100;
};
TerminalSize terminal_of_stdout();
TerminalSize terminal_of_stderr();

}  // namespace fuselab::platform
