// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "backends/native/compiler/compiler_process.h"
#include "core/backend/backend.h"

namespace fuselab::cpu {

// Returns the usual paths of C compilers: gcc, clang, cc in the standard program folders.
std::vector<std::filesystem::path> default_compilers();

// Runs a C compiler of the system as a program and returns the shared object it makes. The same source gives the same
// bytes: no paths, no time stamps, no build id. Thread-safe; a stop request or the time limit kills the compiler.
class HostCompiler final : public Compiler {
 public:
  // Uses the first of `candidates` that is a program and answers --version. `more_flags` go with every compilation: "-fopenmp".
  explicit HostCompiler(std::vector<std::filesystem::path> candidates, std::chrono::seconds limit = std::chrono::seconds(60),
                        std::string more_flags = {})
      : candidates_(std::move(candidates)), limit_(limit), more_flags_(std::move(more_flags)) {}

  Availability probe() override;
  CompilerFingerprint fingerprint() override;
  std::string flags(const Target& target, OptimizationLevel level) const override;
  Result<KernelBinary> compile(const SourceModule& source, const Target& target, OptimizationLevel level,
                               std::stop_token stop) override;
  Result<KernelBinary> recompile(const SourceModule& source, const Target& target, const std::string& flags,
                                 std::stop_token stop) override;

 private:
  std::optional<FoundCompiler> find();
  Result<KernelBinary> run(const SourceModule& source, const Target& target, const std::string& flags, std::stop_token stop);

  std::vector<std::filesystem::path> candidates_;
  std::chrono::seconds limit_;
  std::string more_flags_;
  std::mutex mutex_;
  std::optional<FoundCompiler> found_;
};

}  // namespace fuselab::cpu
