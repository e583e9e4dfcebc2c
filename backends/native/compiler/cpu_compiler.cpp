// SPDX-License-Identifier: Apache-2.0
#include "backends/native/compiler/cpu_compiler.h"

#include "backends/host/processor.h"
#include "backends/native/compiler/trial_compilation.h"

namespace fuselab::cpu {
namespace {

bool is_aarch64(const Target& target) {
  return target.arch == "aarch64";
}

std::string made_by(const platform::KernelShelf& shelf) {
  return std::to_string(shelf.size()) + " kernels compiled ahead by " + shelf.compiler().id + " " + shelf.compiler().version;
}

}  // namespace

std::filesystem::path own_shelf() {
  std::error_code failed;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
  return failed ? std::filesystem::path() : program.parent_path().parent_path() / "share/fuselab/kernels/cpu";
}

const platform::KernelShelf* CpuCompiler::shelf() {
  const std::lock_guard lock(mutex_);
  if (!decided_) {
    decided_ = true;
    auto found = platform::KernelShelf::open(shelf_folder_);
    if (found.ok()) {
      // A compiler may be there without its assembler or the C library's headers.
      const Availability there = host_.probe();
      const Availability works = there.usable ? trial_compilation(host_, host::describe_cpu().target) : there;
      if (!works.usable) {
        why_no_host_ = works.reason;
        shelf_ = std::move(found).value();
      }
    }
  }
  return shelf_ ? &*shelf_ : nullptr;
}

Availability CpuCompiler::probe() {
  if (const auto* ahead = shelf()) return {true, "no C compiler works here, so only the " + made_by(*ahead) + " can be measured"};
  return host_.probe();
}

CompilerFingerprint CpuCompiler::fingerprint() {
  if (const auto* ahead = shelf()) return ahead->compiler();
  return host_.fingerprint();
}

std::string CpuCompiler::flags(const Target& target, OptimizationLevel level) const {
  return is_aarch64(target) ? cross_.flags(target, level) : host_.flags(target, level);
}

Result<KernelBinary> CpuCompiler::compile(const SourceModule& source, const Target& target, OptimizationLevel level,
                                          std::stop_token stop) {
  if (is_aarch64(target)) return cross_.compile(source, target, level, stop);
  const auto* const ahead = shelf();
  if (ahead == nullptr) return host_.compile(source, target, level, stop);
  auto binary = ahead->find(source, flags(target, level));
  if (!binary.ok() && binary.error().code == ErrorCode::kNotFound) {
    return Error{ErrorCode::kUnsupported, "this kernel is not among the " + made_by(*ahead) + ", and " + why_no_host_};
  }
  if (binary.ok()) binary.value().format = "elf-so";
  return binary;
}

Result<KernelBinary> CpuCompiler::recompile(const SourceModule& source, const Target& target, const std::string& flags,
                                            std::stop_token stop) {
  if (is_aarch64(target)) return cross_.recompile(source, target, flags, stop);
  if (shelf() == nullptr) return host_.recompile(source, target, flags, stop);
  return Error{ErrorCode::kUnsupported, "no C compiler works here, and a kept text is not among the kernels compiled ahead"};
}

}  // namespace fuselab::cpu
