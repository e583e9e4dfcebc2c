// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

#include "app/engine/measure/paired_replay.h"
#include "app/gate/commands/command_line.h"

// Compares two commands as kernels are compared: paired, interleaved, with the same statistics.
namespace fuselab::engine {

// The two sides of a comparison, each with its own folder.
struct CommandPair {
  CommandCase candidate;                   // its `command` and how it is timed
  CommandCase baseline;                    // its `command` is the other side; timed as the candidate is
  ComparisonRule rule = command_rule({});  // budget: of both sides' runs, from start to end
  std::uint64_t seed = 1;                  // of the order of runs
  double handicap = 0;                     // the candidate's times are raised by this share

  // Returns the rule for a command: every run is a process, so a block of a few runs takes the place of a process.
  static ComparisonRule command_rule(ComparisonRule rule);
};

// The runs of each side in one block: two pairs, in both orders.
inline constexpr int kRunsOfBlock = 4;

// Why a comparison of commands ended early.
struct CommandTrouble {
  ComparedSide side = ComparedSide::kNeither;
  std::string output;  // the last lines that the command wrote
};

// Runs the `build` of both sides, once in each folder; nothing where they have none.
// Fails with kLaunchFailed, kTimeout or kCancelled; `trouble` names the side.
Status build_commands(const CommandPair& pair, std::stop_token stop, CommandTrouble& trouble);

// Runs both commands in turns, in blocks of kRunsOfBlock, until the rule has seen enough. One run of each before the first block is
// not timed: it fills the caches of the disk. A block in which the machine lost too much time is discarded, both sides.
// Fails with the error of a command that fails, takes too long or prints no time; `trouble` says whose it was.
// `begun`: blocks of the same comparison that were measured before; they count, and more are added to them.
Result<Replay> compare_commands(const CommandPair& pair, std::stop_token stop, CommandTrouble& trouble, Replay begun = {});

}  // namespace fuselab::engine
