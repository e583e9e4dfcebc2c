// SPDX-License-Identifier: Apache-2.0
#include "backends/rocm/compiler/hip_compiler.h"

#include <iterator>
#include <sstream>
#include <vector>

#include "backends/loading/vendor_library.h"
#include "backends/rocm/compiler/device_library.h"
#include "backends/rocm/driver/code_object_reader.h"
#include "core/kernel/launch_notes.h"

namespace fuselab::hip {
namespace {

constexpr int kNewest = 23, kOldest = 15;  // before, the device library is not read
constexpr std::chrono::seconds kLimit{120};
constexpr const char* kOwnFlags = "-std=c++17 -O3";

// clang needs the linker of its own version; ROCm's has it beside.
std::optional<cpu::FoundCompiler> find_clang() {
  for (int version = kNewest; version >= kOldest; --version) {
    const std::string clang = "clang-" + std::to_string(version), linker = "ld.lld-" + std::to_string(version);
    const char* const names[] = {linker.c_str()};
    const char* const compilers[] = {clang.c_str()};
    std::error_code ignored;
    for (const std::filesystem::path& each : cpu::programs_called(names)) {
      if (!std::filesystem::exists(each, ignored)) continue;
      if (auto found = cpu::find_compiler(cpu::programs_called(compilers))) return found;
    }
  }
  const std::filesystem::path of_rocm = "/opt/rocm/llvm/bin/clang";
  return cpu::find_compiler(std::span(&of_rocm, 1));
}

// hiprtc is given the flags from kOwnFlags on: what those before them say, it does by itself, and it makes code objects of its own
// version.
Result<KernelBinary> run_hiprtc(const Hiprtc& hiprtc, const SourceModule& source, const Target& target, const std::string& flags) {
  std::istringstream words(flags.substr(flags.find(kOwnFlags)));
  const std::vector<std::string> options(std::istream_iterator<std::string>(words), {});
  KernelBinary binary;
  std::string log;
  FL_TRY(binary.data, hiprtc.compile(source.text, target.id, options, log));
  binary.metadata = {{"compiler", "hiprtc"}, {"version", hiprtc.version()}, {"flags", flags}};
  if (!log.empty()) binary.metadata["warnings"] = log;
  return binary;
}

}  // namespace

Result<HipCompiler::Tools> HipCompiler::tools() {
  const std::lock_guard lock(mutex_);
  if (!tools_) {
    tools_.emplace([]() -> Result<Tools> {
      const bool chosen = !loading::real_surroundings("HIPRTC").chosen.empty();
      const auto clang = chosen ? std::nullopt : find_clang();
      const auto library = find_device_library();
      if (clang && library.ok()) return Tools{*clang, library.value(), nullptr};
      auto hiprtc = Hiprtc::open();
      if (hiprtc.ok()) return Tools{{}, {}, std::move(hiprtc).value()};
      if (chosen) return std::move(hiprtc).error();
      if (clang) return library.error();
      return Error{ErrorCode::kUnavailable,
                   "no clang from version 15 on with its linker was found; install both: apt-get install clang-22 lld-22"};
    }());
  }
  return *tools_;
}

Availability HipCompiler::probe() {
  const auto found = tools();
  return found.ok() ? Availability::available() : Availability::unavailable(found.error().message);
}

CompilerFingerprint HipCompiler::fingerprint() {
  const auto found = tools();
  if (!found.ok()) return {};
  if (const auto& hiprtc = found.value().hiprtc) return {"hiprtc", hiprtc->version(), hiprtc->path()};
  return {found.value().clang.fingerprint.id, found.value().clang.fingerprint.version, found.value().clang.program.string()};
}

// Code objects of version 5 load on ROCm 5.4 and later.
std::string HipCompiler::flags(const Target& target, OptimizationLevel level) const {
  const bool contracts = level == OptimizationLevel::kO2 || level == OptimizationLevel::kO3;
  return "-x hip --cuda-device-only --offload-arch=" + target.id +
         " -nogpuinc -nogpulib --no-gpu-bundle-output -mcode-object-version=5 " + kOwnFlags +
         " -ffp-contract=" + (contracts ? "fast" : "off");
}

Result<KernelBinary> HipCompiler::compile(const SourceModule& source, const Target& target, OptimizationLevel level,
                                          std::stop_token stop) {
  FL_TRY(const Tools found, tools());
  if (target.arch != "hip") return Error{ErrorCode::kUnsupported, "this compiler makes no code for " + target.id};
  const cpu::Compilation job{flags_for(source, target, level), device_library_arguments(found.library, target), kLimit};
  FL_TRY(KernelBinary binary, found.hiprtc ? run_hiprtc(*found.hiprtc, source, target, job.flags)
                                           : cpu::run_compiler(found.clang, job, source, std::move(stop)));
  binary.format = "hsaco";
  FL_TRY_VOID(note_launch(
      source, target,
      [&](const std::string& entry) -> Result<ResourceUsage> {
        FL_TRY(const gpu::stream::BinaryKernel kernel, read_code_object(binary.data, entry));
        ResourceUsage usage;
        const auto note = [&](const char* name, std::optional<std::int64_t> value) {
          if (value) usage[name] = *value;
        };
        note("registers", kernel.registers);
        note("accumulators", kernel.accumulators);
        note("scalar_registers", kernel.scalar_registers);
        note("spill_bytes", kernel.spill_bytes);
        note("stack_bytes", kernel.stack_bytes);
        note("max_threads", kernel.max_threads);
        note("shared_bytes", kernel.shared_bytes);
        note("code_bytes", kernel.code_bytes);
        return usage;
      },
      binary));
  return binary;
}

}  // namespace fuselab::hip
