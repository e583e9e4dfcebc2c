// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/backend/backend.h"

namespace fuselab::null {

// "Compiles" a script into itself, in the time the script says. Stateless, so thread-safe.
class NullCompiler final : public Compiler {
 public:
  Availability probe() override { return Availability::available(); }
  CompilerFingerprint fingerprint() override { return {"null", "1"}; }
  std::string flags(const Target& target, OptimizationLevel level) const override;
  Result<KernelBinary> compile(const SourceModule& source, const Target& target, OptimizationLevel level,
                               std::stop_token stop) override;
};

}  // namespace fuselab::null
