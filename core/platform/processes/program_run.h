// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"

namespace fuselab::platform {

// Returns the first of these programs that a folder of $PATH has, in the order of the names.
std::optional<std::filesystem::path> find_program(std::initializer_list<std::string_view> names);

struct ProgramRun {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  std::chrono::milliseconds limit{20'000};
  Bytes most_output{std::int64_t{64} << 20};
  std::string input{};  // its standard input
  std::vector<std::pair<std::string, std::string>> variables{};
  std::vector<std::string> withheld{};  // names of this process's variables that it does not get
  std::filesystem::path folder{};       // where it starts; empty: in this process's folder
};

// A program that was started, and its end.
struct ProgramEnd {
  std::string output;            // what it wrote to its standard output; empty where that was too much
  std::string words;             // the last 4 KiB of its errors
  Nanoseconds time;              // from before its start to after its end
  Nanoseconds processor_time;    // of it and of the processes that it waited for
  std::optional<Error> problem;  // kTimeout, kUnsupported or kCrashed, as run_program() fails; its message has no last words
};

// Runs a program to its end, however it ends.
// Fails with kNotFound or kIo where it cannot be started, and with kCancelled.
Result<ProgramEnd> run_to_end(const ProgramRun& run, std::stop_token stop);

// Runs a program to its end and returns what it wrote to its standard output. It is killed when it takes longer than its limit,
// writes more than it may or the stop is requested.
// Fails with kNotFound or kIo where it cannot be started, kTimeout, kCancelled, kUnsupported where it wrote too much, and kCrashed
// where it ended otherwise than with code 0; the message ends with its last words.
Result<std::string> run_program(const ProgramRun& run, std::stop_token stop);

}  // namespace fuselab::platform
