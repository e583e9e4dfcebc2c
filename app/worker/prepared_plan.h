// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "app/worker/reference_cache.h"
#include "core/backend/device_runtime.h"
#include "core/measure/plan.h"

namespace fuselab::worker {

// Owns buffers of one runtime and gives them back.
class BufferSet {
 public:
  explicit BufferSet(DeviceRuntime& runtime) : runtime_(runtime) {}
  BufferSet(const BufferSet&) = delete;
  BufferSet& operator=(const BufferSet&) = delete;
  ~BufferSet();

  Result<Buffer> allocate(Bytes size, BufferRole role);
  // Gives all back; the first error: a runtime may find broken guards only now.
  Status release();

 private:
  DeviceRuntime& runtime_;
  std::vector<Buffer> held_;
};

// The buffers that all plans of one graph in a block share, so that they are compared on the same memory.
struct SharedBuffers {
  explicit SharedBuffers(DeviceRuntime& runtime) : owner(runtime) {}
  BufferSet owner;
  std::shared_ptr<const ReferenceCase> reference;
  std::vector<Buffer> inputs;
  std::vector<Buffer> outputs;
};
Result<std::unique_ptr<SharedBuffers>> share_buffers(DeviceRuntime& runtime, const Graph& graph,
                                                     std::shared_ptr<const ReferenceCase> reference);

// One plan, loaded and bound to buffers: ready to be launched. Used by one thread, dies before its runtime.
class PreparedPlan {
 public:
  // Checks the plan against its kernels' ABI, allocates intermediates and scratch, loads the kernels.
  static Result<std::unique_ptr<PreparedPlan>> create(DeviceRuntime& runtime, const Plan& plan, const SharedBuffers& shared,
                                                      const InputSpec& inputs);

  // Fills outputs, intermediates and scratch with what no kernel should be able to use, and inputs that a kernel overwrites anew.
  Status poison() { return poison(inputs_.pattern); }
  // The same before inputs of another pattern than the timed ones.
  Status poison(InputPattern pattern);
  // Launches every step once and waits: what is verified.
  Status run_once();
  Result<Timing> time(int repetitions);  // with the plan's handicap
  // Loads the kernels anew, so that the next launch is a first one.
  Status reload();
  Result<std::vector<RealTensor>> download_outputs();
  Status release() { return owned_.release(); }

 private:
  PreparedPlan(DeviceRuntime& runtime, const Plan& plan, const SharedBuffers& shared, const InputSpec& inputs)
      : runtime_(runtime), plan_(plan), shared_(shared), inputs_(inputs), owned_(runtime) {}
  Status bind_values();
  Status bind_steps();
  Status fill(const Buffer& buffer, const TensorType& type, InputPattern pattern);
  Status restore_inputs();
  Result<Timing> time_launches(int repetitions);

  DeviceRuntime& runtime_;
  const Plan& plan_;
  const SharedBuffers& shared_;
  InputSpec inputs_;
  BufferSet owned_;
  std::vector<Buffer> values_;          // one per Plan::values
  std::vector<std::size_t> rewritten_;  // graph inputs that a kernel writes: own copies, restored before each run
  std::vector<std::pair<Buffer, TensorType>> scratch_;
  std::vector<std::unique_ptr<Executable>> executables_;
  std::vector<Launch> launches_;
};

}  // namespace fuselab::worker
