// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "core/base/result.h"

namespace fuselab::cli {

// Returns what was wrong with a command line that could not be parsed, and what would be right; `app` as the parser left it.
Error usage_error(const CLI::App& app, const CLI::ParseError& error);

// Returns whether a word stands where only a verb can, in which case a --help beside it must not hide the error.
bool misses_a_verb(const CLI::App& app);

// Returns the verb that was recognised ("db gc"), or the program itself.
const CLI::App& chosen_verb(const CLI::App& app);

// Restricts the option to these values ("warm|cold"); its type name lists them, for --help and completions.
void allow_only(CLI::Option& option, const std::string& values);

// Returns a check for finite numbers above 0; CLI::PositiveNumber's message would print the largest double.
CLI::Validator above_zero();

// Returns a check for whole numbers from 0 on, since CLI11 would read one with a minus as a large number.
CLI::Validator not_negative();

// Returns a check that a launch configuration, "threads=2,unroll=4", can be read.
CLI::Validator launch_config();

}  // namespace fuselab::cli
