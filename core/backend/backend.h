// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend/backend_info.h"
#include "core/backend/device_info.h"
#include "core/backend/device_runtime.h"
#include "core/backend/kernel_emulator.h"
#include "core/base/result.h"
#include "core/base/support.h"
#include "core/graph/graph.h"
#include "core/kernel/compiled_kernel.h"
#include "core/tuning/parameter_space.h"

namespace fuselab {

// Generates code. It is pure and needs no device: the same input gives the same text.
class CodeGenerator {
 public:
  virtual ~CodeGenerator() = default;
  virtual std::string_view id() const = 0;
  virtual std::string_view version() const = 0;
  // States whether this graph can become ONE kernel for the target, or why not.
  virtual Support supports(const Graph& graph, const Target& target) const = 0;
  virtual ParameterSpace space(const Graph& graph, const Target& target) const = 0;
  // Returns a sensible first guess, which is always valid in space().
  virtual LaunchConfig default_config(const Graph& graph, const Target& target) const = 0;
  virtual Result<SourceModule> generate(const Graph& graph, const LaunchConfig& config, const Target& target) const = 0;
};

struct CompilerFingerprint {
  std::string id;         // "gcc"
  std::string version;    // "12.2.0"
  std::string file = {};  // the library that it is, where it is one; no part of a kernel's identity
};

// Compiles text to bytes. Thread-safe. May run a program; never needs a device.
class Compiler {
 public:
  virtual ~Compiler() = default;
  virtual Availability probe() = 0;
  // Returns whether it compiles for this target, where several compilers stand behind it.
  virtual Availability probe_for(const Target& target) {
    (void)target;
    return probe();
  }
  virtual CompilerFingerprint fingerprint() = 0;
  // Returns the compiler that makes kernels for this target, where there are several; it is part of a kernel's identity.
  virtual CompilerFingerprint fingerprint_for(const Target& target) {
    (void)target;
    return fingerprint();
  }
  virtual std::string flags(const Target& target, OptimizationLevel level) const = 0;
  // Returns them with those that the text itself asks for behind them.
  std::string flags_for(const SourceModule& source, const Target& target, OptimizationLevel level) const {
    return flags(target, level) + (source.flags.empty() ? "" : " " + source.flags);
  }
  // Compiles a source.
  // Fails with kCompileFailed, carrying the compiler's own message, and with kCancelled when stopped.
  virtual Result<KernelBinary> compile(const SourceModule& source, const Target& target, OptimizationLevel level,
                                       std::stop_token stop) = 0;
  // Compiles a stored text with the flags stored beside it. Text and flags may be untrusted, so only flags that this compiler uses
  // itself are accepted.
  // Fails with kUnsupported for any other flags.
  virtual Result<KernelBinary> recompile(const SourceModule& source, const Target& target, const std::string& flags,
                                         std::stop_token stop);
};

// The interface of one stack (R1-R8, corrected: reasons instead of bools, capabilities per device). Constructing it touches
// nothing. Used from one thread of a worker.
class FusionBackend {
 public:
  virtual ~FusionBackend() = default;
  virtual std::string_view id() const = 0;  // "cpu": a database key, never changes
  virtual Availability probe() = 0;
  virtual Result<std::vector<DeviceInfo>> enumerate() = 0;
  virtual BackendCapabilities capabilities(const DeviceInfo& device) = 0;
  virtual Result<std::unique_ptr<DeviceRuntime>> open(const DeviceInfo& device) = 0;
  virtual CodeGenerator* generator() { return nullptr; }  // absent: a library provides the code
  virtual Compiler* compiler() { return nullptr; }
  virtual KernelEmulator* emulator() { return nullptr; }  // absent: only a device runs its kernels

  // The information in this backend's row of the table of systems. Whoever makes the backend from the row sets it; before that it
  // is empty.
  const BackendInfo& info() const { return info_; }
  void set_info(const BackendInfo& info) { info_ = info; }

 private:
  BackendInfo info_;
};

// Optional ability of a backend whose processes leave files behind when they are killed.
class LeavesFiles {
 public:
  virtual ~LeavesFiles() = default;
  virtual void sweep() = 0;  // removes the files of killed processes from the temporary directory
};

// Optional ability of a backend whose vendor's profiler sees only what starts behind it.
class AttachesProfiler {
 public:
  virtual ~AttachesProfiler() = default;
  // Called in a process that profiles, before the first device is listed or opened. What fails is the reason that collectors give.
  virtual void attach_profiler() = 0;
};

// Generates a kernel with its identity but without a binary, in milliseconds: enough to look it up in the store. Checks first that
// the configuration is in the space.
Result<CompiledKernel> generate_kernel(FusionBackend& backend, const Graph& graph, const LaunchConfig& config, const Target& target,
                                       OptimizationLevel level);

// Generates a kernel with its identity and compiles it, in the same way for every backend.
Result<CompiledKernel> compile_kernel(FusionBackend& backend, const Graph& graph, const LaunchConfig& config, const Target& target,
                                      OptimizationLevel level, std::stop_token stop);

// Compiles a kernel's own source again for this target, with these flags, and updates its identity. What its text computes and how
// it is called stay the same.
Result<CompiledKernel> recompile_kernel(FusionBackend& backend, CompiledKernel kernel, const Target& target,
                                        const std::string& flags, std::stop_token stop);

}  // namespace fuselab
