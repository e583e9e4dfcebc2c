// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "app/gate/commands/command_line.h"
#include "core/base/result.h"
#include "core/base/units.h"

namespace fuselab::engine {

// One run of a command.
struct CommandRun {
  Nanoseconds time;              // its time as CommandTime says; 0 after a problem
  Nanoseconds wall;              // from its start to its end
  std::optional<Error> problem;  // it could not be started, failed, took too long or printed no time
  std::string output;            // after a problem, the last lines of its output and of its errors; else empty
};

// Runs the line in the folder of the case, in this process's environment without the variables by which git names a repository.
// Processes that it leaves in its process group are killed; what left that group is not followed.
// Fails with kCancelled alone.
Result<CommandRun> run_command(const CommandCase& of, const CommandLine& line, CommandTime time, double limit_seconds,
                               const std::stop_token& stop);

}  // namespace fuselab::engine
