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
};

// Runs a program to its end and returns what it wrote to its standard output. It is killed when it takes longer than its limit,
// writes more than it may or the stop is requested.
// Fails with kNotFound or kIo where it cannot be started, kTimeout, kCancelled, kUnsupported where it wrote too much, and kCrashed
// where it ended otherwise than with code 0; the message ends with its last words.
Result<std::string> run_program(const ProgramRun& run, std::stop_token stop);

}  // namespace fuselab::platform
