// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "app/cli/shell/command.h"

namespace fuselab::cli {

// The parser with every verb; parsing sets the invocation's options and its action. The invocation outlives it.
std::unique_ptr<CLI::App> make_command_line(Invocation& invocation);

// Parses and does what was asked for. Never throws; everything that goes wrong is told and becomes an exit code.
ExitCode run_command_line(int count, const char* const* words);

}  // namespace fuselab::cli
