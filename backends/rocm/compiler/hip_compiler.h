// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "backends/native/compiler/compiler_process.h"
#include "backends/rocm/compiler/hiprtc.h"
#include "core/backend/backend.h"

namespace fuselab::hip {

// Compiles HIP texts to code objects with clang and lld of this machine; needs no device and no ROCm but its device library. The
// newest clang that has a linker beside it is taken, and a target that it does not know is refused with its words. Where there is
// none, or where $FUSELAB_LIB_HIPRTC names it, ROCm's hiprtc compiles. The metadata holds the resources from the code object's
// notes, and the occupancy that they allow. Thread-safe; looks on first use.
// Fails with kUnsupported and the reason for a kernel that cannot be launched on its target.
class HipCompiler final : public Compiler {
 public:
  Availability probe() override;
  CompilerFingerprint fingerprint() override;
  std::string flags(const Target& target, OptimizationLevel level) const override;
  Result<KernelBinary> compile(const SourceModule& source, const Target& target, OptimizationLevel level,
                               std::stop_token stop) override;

 private:
  struct Tools {
    cpu::FoundCompiler clang;
    std::filesystem::path library;
    std::shared_ptr<const Hiprtc> hiprtc;  // in place of both, where there is no clang
  };
  Result<Tools> tools();

  std::mutex mutex_;
  std::optional<Result<Tools>> tools_;
};

}  // namespace fuselab::hip
