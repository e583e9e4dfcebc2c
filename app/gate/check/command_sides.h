// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/gate/baseline/check_config.h"
#include "app/gate/check/against.h"
#include "app/gate/commands/command_pair.h"

namespace fuselab::engine {

// Returns the two sides of a case that is a command, and describes the baseline in `used`: the same case at a commit (`against`),
// else the baseline-command of the case.
// Fails with kNotFound where there is no baseline.
Result<CommandPair> command_sides(const CheckCase& of, const Against* against, BaselineUsed& used);

// Returns "timed whole", "its CPU time" or "the time that it prints".
std::string words_of(CommandTime time);

}  // namespace fuselab::engine
