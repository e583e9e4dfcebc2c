// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "app/cli/shell/command.h"

namespace fuselab::cli {

// One row of the table of verbs, from which parser, help, completions, their tests and resources/docs/verbs.md are made.
struct Verb {
  const char* name;     // as typed
  const char* group;    // its heading in the program's --help
  const char* purpose;  // one line
  // Adds the verb's options, and a callback that sets invocation.action.
  void (*add)(CLI::App& command, Invocation& invocation);
};

std::span<const Verb> all_verbs();

}  // namespace fuselab::cli
