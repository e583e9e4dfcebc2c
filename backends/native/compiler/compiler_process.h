// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/backend/backend.h"

namespace fuselab::cpu {

// A C compiler of the system: its path and its identification.
struct FoundCompiler {
  std::filesystem::path program;
  CompilerFingerprint fingerprint;
};

// Returns the paths of these names in the standard program folders: "gcc" → /usr/local/bin/gcc, /usr/bin/gcc, /bin/gcc.
std::vector<std::filesystem::path> programs_called(std::span<const char* const> names);

// Returns the first candidate that exists and answers --version as a known compiler does.
std::optional<FoundCompiler> find_compiler(std::span<const std::filesystem::path> candidates);

// Returns a list for messages: "gcc (/usr/bin/gcc, …)".
std::string listed(std::span<const std::filesystem::path> candidates);

// One run of a compiler over one text.
struct Compilation {
  std::string flags;               // separated by blanks
  std::vector<std::string> links;  // arguments behind the source
  std::chrono::seconds limit{60};
};

// Removes the folders of compilations whose process was killed.
void sweep_compilations();

// Compiles in a folder of its own, which is removed afterwards; the compiler stays in this process's group and ends with it. The
// metadata contains compiler, version, flags and the compiler's output. A stop request or the time limit kills the compiler.
// Fails with kCompileFailed, carrying the compiler's output.
Result<KernelBinary> run_compiler(const FoundCompiler& compiler, const Compilation& job, const SourceModule& source,
                                  std::stop_token stop);

}  // namespace fuselab::cpu
