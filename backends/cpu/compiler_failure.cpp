// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/compiler_failure.h"

#include <algorithm>
#include <optional>

#include "core/platform/child_process.h"

namespace fuselab::cpu {
namespace {

// How gcc, its collect2 and clang say that a program they started was ended by somebody.
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

bool says(std::string_view words, std::string_view phrase) {
  return words.find(phrase) != std::string_view::npos;
}

template <typename Phrases>
bool says_any(std::string_view words, const Phrases& phrases) {
  for (std::string_view const phrase : phrases) {
    if (says(words, phrase)) return true;
  }
  return false;
}

// The words without those about the text and the lines quoted of it, which may say anything.
std::string about_itself(std::string_view words) {
  std::string kept;
  while (!words.empty()) {
    std::string_view const line = words.substr(0, words.find('\n'));
    if (!says(line, "kernel.c:") && !says(line, " | ")) kept.append(line).push_back('\n');
    words.remove_prefix(std::min(words.size(), line.size() + 1));
  }
  return kept;
}

// How the compiler, or a part of it, was ended from outside.
std::optional<std::string> killed_from_outside(const std::string& exit, std::string_view words) {
  if (platform::ended_from_outside(exit)) return exit;
  for (const KilledPart& part : kKilledParts) {
    if (says(words, part.words)) return std::string(part.how);
  }
  return std::nullopt;
}

}  // namespace

Error compiler_failure(const std::string& program, const std::string& exit, std::string_view words) {
  std::string const text = words.empty() ? "" : ":\n" + std::string(words);
  std::string const own = about_itself(words);
  if (auto const how = killed_from_outside(exit, own)) {
    bool const for_memory = says(*how, "SIGKILL");
    return {ErrorCode::kCrashed, "the compiler " + program + " " + *how + "; " +
                                     (for_memory ? "out of memory? Else somebody ended it" : "somebody ended it") + text};
  }
  if (says_any(own, kNoMemory)) return {ErrorCode::kOutOfMemory, "the compiler " + program + " ran out of memory" + text};
  if (says_any(own, kNoRoom)) return {ErrorCode::kIo, "the compiler " + program + " found the disk full" + text};
  return {ErrorCode::kCompileFailed, program + " " + exit + text};
}

}  // namespace fuselab::cpu
