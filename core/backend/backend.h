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
#include "core/base/result.h"
#include "core/base/support.h"
#include "core/graph/graph.h"
#include "core/kernel/compiled_kernel.h"
#include "core/tuning/parameter_space.h"

namespace fuselab {

// Who writes the code: pure, needs no device; same input, same text.
class CodeGenerator {
 public:
  virtual ~CodeGenerator() = default;
  virtual std::string_view id() const = 0;
  virtual std::string_view version() const = 0;
  // Whether this graph can become ONE kernel for the target; if not, why.
  virtual Support supports(const Graph& graph, const Target& target) const = 0;
  virtual ParameterSpace space(const Graph& graph, const Target& target) const = 0;
  // A sensible first guess; always valid in space().
  virtual LaunchConfig default_config(const Graph& graph, const Target& target) const = 0;
  virtual Result<SourceModule> generate(const Graph& graph, const LaunchConfig& config, const Target& target) const = 0;
};

struct CompilerFingerprint {
  std::string id;       // "gcc"
  std::string version;  // "12.2.0"
};

// Turns text into bytes. Thread-safe. May run a program; never needs a device.
class Compiler {
 public:
  virtual ~Compiler() = default;
  virtual Availability probe() = 0;
  virtual CompilerFingerprint fingerprint() = 0;
  // What makes kernels for this target, where several compilers stand behind one: part of a kernel's identity.
  virtual CompilerFingerprint fingerprint_for(const Target& target) {
    (void)target;
    return fingerprint();
  }
  virtual std::string flags(const Target& target, OptimizationLevel level) const = 0;
  // kCompileFailed carries the compiler's own message; kCancelled when stopped.
  virtual Result<KernelBinary> compile(const SourceModule& source, const Target& target, OptimizationLevel level,
                                       std::stop_token stop) = 0;
  // The same of a text that was kept, with flags that were kept with it: what comes from outside chooses among flags that this
  // compiler uses itself. kUnsupported for any others.
  virtual Result<KernelBinary> recompile(const SourceModule& source, const Target& target, const std::string& flags,
                                         std::stop_token stop);
};

// The face of one stack (R1-R8, corrected: reasons instead of bools, capabilities per device).
// Constructing it touches nothing. Used from one thread of a worker.
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

  // What its row says of it; who makes it from the row states it. Nothing is known before.
  const BackendInfo& info() const { return info_; }
  void state_info(const BackendInfo& info) { info_ = info; }

 private:
  BackendInfo info_;
};

// Optional ability of a backend: its processes leave files behind when they are killed.
class LeavesFiles {
 public:
  virtual ~LeavesFiles() = default;
  virtual void sweep() = 0;  // removes those of killed processes from the temporary directory
};

// generate + identity: a kernel without its binary, in milliseconds; enough to know whether it is stored already. Checks space
// membership first.
Result<CompiledKernel> generate_kernel(FusionBackend& backend, const Graph& graph, const LaunchConfig& config, const Target& target,
                                       OptimizationLevel level);

// generate + identity + compile, the same for every backend.
Result<CompiledKernel> compile_kernel(FusionBackend& backend, const Graph& graph, const LaunchConfig& config, const Target& target,
                                      OptimizationLevel level, std::stop_token stop);

// Compiles a kernel's own source anew for this target, with these flags; its identity says so afterwards. What its text computes
// and how it is called stay as they are.
Result<CompiledKernel> recompile_kernel(FusionBackend& backend, CompiledKernel kernel, const Target& target,
                                        const std::string& flags, std::stop_token stop);

}  // namespace fuselab
