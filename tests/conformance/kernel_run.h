// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "core/backend/backend.h"
#include "core/reference/tolerance.h"
#include "core/tensor/tensor.h"

namespace fuselab::conformance {

// One kernel with its buffers on an opened device. Inputs are seeded, outputs poisoned.
class KernelRun {
 public:
  // `shorter_output` takes that many bytes off the first output's buffer.
  static Result<std::unique_ptr<KernelRun>> create(DeviceRuntime& runtime, const CompiledKernel& kernel, const Graph& graph,
                                                   std::int64_t shorter_output = 0, InputPattern pattern = InputPattern::kUniform);
  ~KernelRun();

  // The next launch reads `given` as this input; verify() computes with `meant` in its place.
  Status give(std::size_t input, const RealTensor& given, RealTensor meant);
  Status launch();  // and waits
  Result<Verification> verify(Drawbacks stated = {}, InputPattern pattern = InputPattern::kUniform);
  Result<Timing> time(int repetitions);
  // Returns null where the executable does not count indices out of range.
  const IndexCount* counting() const { return dynamic_cast<const IndexCount*>(executable_.get()); }

 private:
  KernelRun(DeviceRuntime& runtime, const Graph& graph) : runtime_(runtime), graph_(graph) {}
  Status bind(const CompiledKernel& kernel, std::int64_t shorter_output, InputPattern pattern);

  DeviceRuntime& runtime_;
  const Graph& graph_;
  std::unique_ptr<Executable> executable_;
  std::vector<RealTensor> inputs_;
  std::vector<Buffer> arguments_;
};

// Compiles with the default configuration of the device's target, runs and compares with the reference: with ordinary inputs, then
// with large ones, ±Inf and NaN, and denormals; of a kernel that states nan=lost those do not judge what should be NaN. The first
// that does not pass, or what the ordinary ones gave.
Result<Verification> compile_and_verify(FusionBackend& backend, DeviceRuntime& runtime, const Graph& graph);

}  // namespace fuselab::conformance
