// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "backends/native/compiler/cross_compiler.h"
#include "backends/native/compiler/host_compiler.h"
#include "core/platform/files/kernel_shelf.h"

namespace fuselab::cpu {

// Returns the folder of the kernels that came with this program: ../share/fuselab/kernels/cpu beside its folder.
std::filesystem::path own_shelf();

// Compiles the cpu backend's text to binaries: with the system's C compiler for x86-64, with clang for aarch64. Where no C compiler
// works and kernels came with the program, it returns those. It decides once, on first use. Thread-safe.
class CpuCompiler final : public Compiler {
 public:
  CpuCompiler(std::vector<std::filesystem::path> candidates, std::filesystem::path shelf_folder)
      : host_(std::move(candidates)), shelf_folder_(std::move(shelf_folder)) {}

  // Usable with a reason when kernels are compiled ahead because this machine has no compiler: which compiler made them and how
  // many there are.
  Availability probe() override;
  // Returns the compiler of the kernels that came with the program, where those are used.
  CompilerFingerprint fingerprint() override;
  std::string flags(const Target& target, OptimizationLevel level) const override;
  // Fails with kUnsupported for a kernel that did not come with the program, when only those are available.
  Result<KernelBinary> compile(const SourceModule& source, const Target& target, OptimizationLevel level,
                               std::stop_token stop) override;
  Result<KernelBinary> recompile(const SourceModule& source, const Target& target, const std::string& flags,
                                 std::stop_token stop) override;  // on this machine's own architecture

 private:
  const platform::KernelShelf* shelf();  // null: the host's compiler is used

  HostCompiler host_;
  CrossCompiler cross_;
  std::filesystem::path shelf_folder_;
  std::mutex mutex_;
  bool decided_ = false;
  std::string why_no_host_;
  std::optional<platform::KernelShelf> shelf_;
};

}  // namespace fuselab::cpu
