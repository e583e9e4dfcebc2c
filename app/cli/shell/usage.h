// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "core/base/result.h"

namespace fuselab::cli {

// What was wrong with a command line that could not be parsed, and what would be right; `app` as the parser left it.
Error usage_error(const CLI::App& app, const CLI::ParseError& error);

// Whether something stands where only a verb can: no help that was asked for beside it may hide that.
bool misses_a_verb(const CLI::App& app);

// The verb that was recognised ("db gc"), or the program itself.
const CLI::App& chosen_verb(const CLI::App& app);

// The option takes one of these values only ("warm|cold"); its type name lists them, for --help and completions.
void allow_only(CLI::Option& option, const std::string& values);

// For finite numbers that must be above 0; CLI::PositiveNumber's message recites the largest double.
CLI::Validator above_zero();

// For whole numbers from 0 on: what begins with a minus would be taken for a large one.
CLI::Validator not_negative();

// For launch configurations, "threads=2,unroll=4": whether they can be read at all.
CLI::Validator launch_config();

}  // namespace fuselab::cli
