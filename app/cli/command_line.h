// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "app/cli/shell/command.h"

namespace fuselab::cli {

// Returns the parser with every verb. Parsing sets the invocation's options and its action. The invocation must outlive the parser.
std::unique_ptr<CLI::App> make_command_line(Invocation& invocation);

// Parses the command line and runs the verb. Never throws; every error is reported and becomes an exit code.
ExitCode run_command_line(int count, const char* const* words);

}  // namespace fuselab::cli
