// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "backends/cpu/compiler_process.h"

namespace fuselab::cpu {

// A 64-bit Arm processor with NEON, which every one of them has: nothing here runs its code.
Target neon_target();

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

// Targets that no processor here runs → how far a kernel gets for them, tried by doing it: "generated, compiled by clang
// 14.0.6; no such device here". Takes as long as one compilation.
std::map<std::string, std::string> foreign_targets(const CodeGenerator& generator);

}  // namespace fuselab::cpu
