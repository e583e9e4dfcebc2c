// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fuselab::engine {

// A command of fuselab.toml as it is written there. A text is run by `sh -c`; a list is run directly, which keeps the start of a
// shell out of the time.
struct CommandLine {
  std::vector<std::string> words;  // of a text one word; empty: not set
  bool by_shell = false;

  bool is_set() const { return !words.empty(); }
  std::string text() const;  // for people: the text, or the words of the list with quotes where a shell needs them
};

// The time of a run of a command. kWhole: from its start to its end. kProcessor: the processor time of it and of the processes that
// it waited for. kPrinted: what the command prints, see printed_time().
enum class CommandTime { kWhole, kProcessor, kPrinted };

// A command that the gate compares with another one.
struct CommandCase {
  CommandLine command;
  CommandLine baseline;  // not set: the case is compared with --against alone
  CommandLine build;     // runs once in the folder of each side before the first run; not set: nothing to build
  CommandTime time = CommandTime::kWhole;
  double timeout_seconds = 60;   // of one run
  std::filesystem::path folder;  // all of them run in it

  bool is_set() const { return command.is_set(); }
};

}  // namespace fuselab::engine
