// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command_line.h"

int main(int count, char** words) {
  return static_cast<int>(fuselab::cli::run_command_line(count, words));
}
