// SPDX-License-Identifier: Apache-2.0
#include "backends/native/compiler/host_compiler.h"

#include "backends/native/compiler/recorded_flags.h"

namespace fuselab::cpu {
namespace {

constexpr std::string_view kLinesOfSource = " -g1";
constexpr std::string_view kMathLibrary = " -lm";

}  // namespace

std::vector<std::filesystem::path> default_compilers() {
  constexpr const char* kNames[] = {"gcc", "clang", "cc"};
  return programs_called(kNames);
}

std::optional<FoundCompiler> HostCompiler::find() {
  const std::lock_guard lock(mutex_);
  if (!found_) found_ = find_compiler(candidates_);
  return found_;
}

Availability HostCompiler::probe() {
  if (find()) return Availability::available();
  return Availability::unavailable("no C compiler found (looked for " + listed(candidates_) +
                                   "); install gcc: apt-get install gcc libc6-dev");
}

CompilerFingerprint HostCompiler::fingerprint() {
  const auto found = find();
  return found ? found->fingerprint : CompilerFingerprint{};
}

std::string HostCompiler::flags(const Target& target, OptimizationLevel level) const {
  std::string flags = "-std=c11 -fPIC -shared -fno-math-errno -fno-trapping-math -Wno-psabi -march=" + target.id +
                      (more_flags_.empty() ? "" : " " + more_flags_);
  switch (level) {
    case OptimizationLevel::kO0: return flags + " -O1 -ffp-contract=off";
    case OptimizationLevel::kO1: return flags + " -O2 -ffp-contract=off";
    case OptimizationLevel::kO2:
    case OptimizationLevel::kO3: return flags + " -O3 -ffp-contract=fast";
  }
  return flags;
}

Result<KernelBinary> HostCompiler::compile(const SourceModule& source, const Target& target, OptimizationLevel level,
                                           std::stop_token stop) {
  return run(source, target, flags_for(source, target, level), std::move(stop));
}

Result<KernelBinary> HostCompiler::recompile(const SourceModule& source, const Target& target, const std::string& flags,
                                             std::stop_token stop) {
  FL_TRY_VOID(check_recorded_flags(flags));
  return run(source, target, flags, std::move(stop));
}

Result<KernelBinary> HostCompiler::run(const SourceModule& source, const Target& target, const std::string& flags,
                                       std::stop_token stop) {
  const auto found = find();
  if (!found) return Error{ErrorCode::kUnavailable, probe().reason};
  if (target.arch != "x86-64") return Error{ErrorCode::kUnsupported, "this compiler makes no code for " + target.id};
  // No libm, and nothing left open for the process to fill in: what a kernel computes is in its text and its identity.
  // A text that the user wrote may ask for libm, which then stands behind it.
  Compilation job{flags, {"-s", "-Wl,--build-id=none", "-Wl,-z,defs"}, limit_};
  if (const std::size_t at = job.flags.find(kMathLibrary); at != std::string::npos) {
    job.flags.erase(at, kMathLibrary.size());
    job.links.emplace_back("-lm");
  }
  // With lines of the source asked for, they stay in the file. They change no instruction.
  if (flags.ends_with(kLinesOfSource)) job.links.erase(job.links.begin());
  FL_TRY(KernelBinary binary, run_compiler(*found, job, source, stop));
  binary.format = "elf-so";
  return binary;
}

}  // namespace fuselab::cpu
