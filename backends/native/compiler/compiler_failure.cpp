// SPDX-License-Identifier: Apache-2.0
#include "backends/native/compiler/compiler_failure.h"

#include <algorithm>
#include <optional>

#include "core/platform/processes/child_process.h"

namespace fuselab::cpu {
namespace {

// Holds the words of gcc, its collect2 and clang when somebody ended a program that they started.
struct KilledPart {
  std::string_view words;
  std::string_view how;  // as ChildProcess says it
};
constexpr KilledPart kKilledParts[] = {
    {"Killed signal terminated program", "was killed by signal 9 (SIGKILL)"},
    {"Terminated signal terminated program", "was killed by signal 15 (SIGTERM)"},
    {"Interrupt signal terminated program", "was killed by signal 2 (SIGINT)"},
    {"terminated with signal 9 [", "was killed by signal 9 (SIGKILL)"},
    {"terminated with signal 15 [", "was killed by signal 15 (SIGTERM)"},
    {"terminated with signal 2 [", "was killed by signal 2 (SIGINT)"},
    {"unable to execute command: Killed", "was killed by signal 9 (SIGKILL)"},
    {"unable to execute command: Terminated", "was killed by signal 15 (SIGTERM)"},
    {"unable to execute command: Interrupt", "was killed by signal 2 (SIGINT)"},
};

constexpr std::string_view kNoMemory[] = {"out of memory", "virtual memory exhausted", "Cannot allocate memory", "std::bad_alloc",
                                          "memory exhausted"};
constexpr std::string_view kNoRoom[] = {"No space left on device", "Disk quota exceeded"};
// Drivers say this when a program or a file of their own installation is not to be had: with it, no text could be compiled.
constexpr std::string_view kBroken[] = {"atal error: cannot ",
                                        "atal error: can't ",
                                        "installation problem",
                                        "unable to execute command: Executable",
                                        "error while loading shared libraries",
                                        "Cannot create temporary file",
                                        "Resource temporarily unavailable",
                                        "ld: cannot find "};

bool says(std::string_view words, std::string_view phrase) {
  return words.find(phrase) != std::string_view::npos;
}

template <typename Phrases>
bool says_any(std::string_view words, const Phrases& phrases) {
  for (const std::string_view phrase : phrases) {
    if (says(words, phrase)) return true;
  }
  return false;
}

// The words without those about the text and the lines quoted of it, which may say anything.
std::string about_itself(std::string_view words) {
  std::string kept;
  while (!words.empty()) {
    const std::string_view line = words.substr(0, words.find('\n'));
    if (!says(line, "kernel.c:") && !says(line, " | ")) kept.append(line).push_back('\n');
    words.remove_prefix(std::min(words.size(), line.size() + 1));
  }
  return kept;
}

// Returns how the compiler, or a part of it, was ended from outside.
std::optional<std::string> killed_from_outside(const std::string& exit, std::string_view words) {
  if (platform::ended_from_outside(exit)) return exit;
  for (const KilledPart& part : kKilledParts) {
    if (says(words, part.words)) return std::string(part.how);
  }
  return std::nullopt;
}

// The line that tells what the compiler itself lacks. The headers that generated text includes are the C library's: that one is
// missing is no mistake of the text either.
std::optional<std::string> lacks(std::string_view words) {
  while (!words.empty()) {
    const std::string_view line = words.substr(0, words.find('\n'));
    const bool no_header = says(line, "kernel.c:") && says(line, "fatal error: ") && says(line, "No such file or directory");
    if (no_header || says_any(about_itself(line), kBroken)) return std::string(line);
    words.remove_prefix(std::min(words.size(), line.size() + 1));
  }
  return std::nullopt;
}

}  // namespace

Error compiler_failure(const std::string& program, const std::string& exit, std::string_view words) {
  const std::string text = words.empty() ? "" : ":\n" + std::string(words);
  const std::string own = about_itself(words);
  if (const auto how = killed_from_outside(exit, own)) {
    const bool for_memory = says(*how, "SIGKILL");
    return {ErrorCode::kCrashed, "the compiler " + program + " " + *how + "; " +
                                     (for_memory ? "out of memory? Else somebody ended it" : "somebody ended it") + text};
  }
  if (says_any(own, kNoMemory)) return {ErrorCode::kOutOfMemory, "the compiler " + program + " ran out of memory" + text};
  if (says_any(own, kNoRoom)) return {ErrorCode::kIo, "the compiler " + program + " found the disk full" + text};
  if (const auto line = lacks(words)) {
    return {ErrorCode::kUnavailable, "the compiler " + program + " does not work here: " + *line +
                                         "; repair it (apt-get install gcc binutils libc6-dev) and let PATH name the folder of its "
                                         "parts, /usr/bin"};
  }
  return {ErrorCode::kCompileFailed, program + " " + exit + text};
}

}  // namespace fuselab::cpu
