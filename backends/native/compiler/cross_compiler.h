// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "backends/native/compiler/compiler_process.h"

namespace fuselab::cpu {

// Runs clang for aarch64 targets. It makes an object file and links nothing, so it needs neither headers nor libraries of
// that architecture. Thread-safe.
class CrossCompiler final : public Compiler {
 public:
  Availability probe() override;
  CompilerFingerprint fingerprint() override;
  std::string flags(const Target& target, OptimizationLevel level) const override;
  Result<KernelBinary> compile(const SourceModule& source, const Target& target, OptimizationLevel level,
                               std::stop_token stop) override;

 private:
  std::optional<FoundCompiler> find();

  std::mutex mutex_;
  std::optional<FoundCompiler> found_;
};

}  // namespace fuselab::cpu
