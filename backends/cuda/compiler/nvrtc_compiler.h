// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "backends/cuda/compiler/nvrtc_library.h"
#include "core/backend/backend.h"

namespace fuselab::cuda {

// Compiles CUDA C++ to a cubin in this process; needs no device and no header. The binary's metadata holds the PTX and the
// compiler's log, beside the resources from the log and the cubin, and the occupancy that they allow. Thread-safe; opens NVRTC on
// first use, in the version that suits the driver here.
// Fails with kUnsupported and the reason for a kernel that cannot be launched on its target.
class NvrtcCompiler final : public Compiler {
 public:
  Availability probe() override;
  CompilerFingerprint fingerprint() override;
  std::string flags(const Target& target, OptimizationLevel level) const override;
  Result<KernelBinary> compile(const SourceModule& source, const Target& target, OptimizationLevel level,
                               std::stop_token stop) override;
  // Accepts --generate-line-info behind its own flags: lines of the text, which change no instruction.
  Result<KernelBinary> recompile(const SourceModule& source, const Target& target, const std::string& flags,
                                 std::stop_token stop) override;

 private:
  Result<KernelBinary> make(const SourceModule& source, const Target& target, const std::string& flags,
                            const std::stop_token& stop);
  Result<std::shared_ptr<const NvrtcLibrary>> library();

  std::mutex mutex_;
  std::optional<Result<std::shared_ptr<const NvrtcLibrary>>> opened_;
};

}  // namespace fuselab::cuda
