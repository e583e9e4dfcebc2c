// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "backends/opencl/opencl_context.h"
#include "backends/opencl/opencl_device.h"
#include "core/backend/backend.h"

namespace fuselab::opencl {

// Opens the loader and lists its devices, once; the result is kept, a failure as well.
class OpenClStack {
 public:
  struct Found {
    std::shared_ptr<const OpenClLibrary> library;
    std::vector<OpenClDevice> devices;
  };
  // Thread-safe.
  const Result<Found>& find();

 private:
  static Result<Found> look();

  std::mutex mutex_;
  std::optional<Result<Found>> found_;
};

// Builds OpenCL C with the driver of the target's own device, and returns its CL_PROGRAM_BINARIES. Thread-safe: one build at a
// time.
class OpenClCompiler final : public Compiler {
 public:
  explicit OpenClCompiler(OpenClStack& stack) : stack_(stack) {}

  Availability probe() override;
  // Returns the fingerprint of all drivers together; fingerprint_for() that of the one that builds for the target's device.
  CompilerFingerprint fingerprint() override;
  CompilerFingerprint fingerprint_for(const Target& target) override;
  std::string flags(const Target& target, OptimizationLevel level) const override;
  Result<KernelBinary> compile(const SourceModule& source, const Target& target, OptimizationLevel level,
                               std::stop_token stop) override;

 private:
  Result<OpenClContext*> context_for(const Target& target);

  OpenClStack& stack_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<OpenClContext>> contexts_;  // by target
};

}  // namespace fuselab::opencl
