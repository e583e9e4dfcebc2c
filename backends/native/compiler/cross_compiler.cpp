// SPDX-License-Identifier: Apache-2.0
#include "backends/native/compiler/cross_compiler.h"

namespace fuselab::cpu {
namespace {

std::vector<std::filesystem::path> candidates() {
  constexpr const char* kNames[] = {"clang", "clang-19", "clang-18", "clang-17", "clang-16", "clang-15", "clang-14"};
  return programs_called(kNames);
}

}  // namespace

std::optional<FoundCompiler> CrossCompiler::find() {
  const std::lock_guard lock(mutex_);
  if (!found_) found_ = find_compiler(candidates());
  return found_;
}

Availability CrossCompiler::probe() {
  if (find()) return Availability::available();
  return Availability::unavailable("no clang found to compile for another architecture; install it: apt-get install clang");
}

CompilerFingerprint CrossCompiler::fingerprint() {
  const auto found = find();
  return found ? found->fingerprint : CompilerFingerprint{};
}

std::string CrossCompiler::flags(const Target& target, OptimizationLevel level) const {
  std::string flags = "--target=aarch64-linux-gnu -march=" + target.id +
                      " -std=c11 -ffreestanding -fPIC -fno-math-errno -fno-trapping-math -Wall -Wno-psabi"
                      " -Wno-bitwise-conditional-parentheses -Wno-unused -c";
  switch (level) {
    case OptimizationLevel::kO0: return flags + " -O1 -ffp-contract=off";
    case OptimizationLevel::kO1: return flags + " -O2 -ffp-contract=off";
    case OptimizationLevel::kO2:
    case OptimizationLevel::kO3: return flags + " -O3 -ffp-contract=fast";
  }
  return flags;
}

Result<KernelBinary> CrossCompiler::compile(const SourceModule& source, const Target& target, OptimizationLevel level,
                                            std::stop_token stop) {
  const auto found = find();
  if (!found) return Error{ErrorCode::kUnavailable, probe().reason};
  if (target.arch != "aarch64") return Error{ErrorCode::kUnsupported, "this compiler makes no code for " + target.id};
  const Compilation job{flags_for(source, target, level), {}};
  FL_TRY(KernelBinary binary, run_compiler(*found, job, source, stop));
  binary.format = "elf-object";
  return binary;
}

}  // namespace fuselab::cpu
