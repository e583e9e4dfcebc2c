// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/worker/reference/reference_cache.h"
#include "core/backend/device_runtime.h"
#include "core/measure/buffer_cycle.h"
#include "core/measure/plan.h"

namespace fuselab::worker {

// Owns buffers of one runtime and frees them.
class BufferSet {
 public:
  explicit BufferSet(DeviceRuntime& runtime) : runtime_(runtime) {}
  BufferSet(const BufferSet&) = delete;
  BufferSet& operator=(const BufferSet&) = delete;
  ~BufferSet();

  Result<Buffer> allocate(Bytes size, BufferRole role);
  // Allocates one buffer for each of `sets` sets. The first is an allocation of its own, with its guards close by; the others are
  // parts of one more, each in pages of its own, so that the processor does not prefetch from the next set.
  Result<std::vector<Buffer>> allocate_sets(Bytes size, BufferRole role, int sets);
  // Frees all buffers and returns the first error: a runtime may find broken guards only now.
  Status release();

 private:
  DeviceRuntime& runtime_;
  std::vector<Buffer> held_;
};

// The buffers that all plans of one graph in a block share, so that they are compared on the same memory: for each tensor one
// buffer for every set of the cycle, all with the same contents.
struct SharedBuffers {
  SharedBuffers(DeviceRuntime& runtime, BufferCycle sets) : owner(runtime), cycle(sets) {}
  BufferSet owner;
  BufferCycle cycle;
  std::shared_ptr<const ReferenceCase> reference;
  std::vector<std::vector<Buffer>> inputs;  // [input][set]
  std::vector<std::vector<Buffer>> outputs;
};
// Returns the scratch memory that the plan's kernels ask for beside their tensors, in one set of buffers.
Result<Bytes> scratch_of(const Plan& plan);
Result<std::unique_ptr<SharedBuffers>> share_buffers(DeviceRuntime& runtime, const Graph& graph,
                                                     std::shared_ptr<const ReferenceCase> reference, BufferCycle cycle);

// One plan, loaded and bound to buffers, ready to be launched on each set of them. Used by one thread; must not outlive its
// runtime.
class PreparedPlan {
 public:
  // Checks the plan against its kernels' ABI, allocates intermediates and scratch, loads the kernels.
  static Result<std::unique_ptr<PreparedPlan>> create(DeviceRuntime& runtime, const Plan& plan, SharedBuffers& shared,
                                                      const InputSpec& inputs);

  // Fills outputs, intermediates and scratch with values that no kernel should be able to use, and restores inputs that a kernel
  // overwrites.
  Status poison(int set = 0) { return poison(set, inputs_.pattern); }
  // Does the same before inputs of another pattern than the timed ones.
  Status poison(int set, InputPattern pattern);
  // Launches every step once and waits, for verifying.
  Status run_once(int set = 0);
  // Times so many runs, each on the next set of the cycle, with the plan's handicap. `repetitions` must be a number that
  // BufferCycle::fitting() returns.
  Result<Timing> time(int repetitions);
  // Loads the kernels again, so that the next launch is a first one.
  Status reload();
  Result<std::vector<RealTensor>> download_outputs(int set = 0);
  // Returns the name of the bytes of all outputs in the first set, as in PlanResult::matched.
  Result<std::string> outputs_name();
  Status release() { return owned_.release(); }
  std::span<const Launch> one_run() const { return run_on(0); }  // its launches, for who counts them one by one
  const Plan& plan() const { return plan_; }
  // Whether a kernel overwrites an input, which is put back before each run and then lies in the caches.
  bool overwrites_inputs() const { return !restored_.empty(); }

 private:
  PreparedPlan(DeviceRuntime& runtime, const Plan& plan, SharedBuffers& shared, const InputSpec& inputs)
      : runtime_(runtime), plan_(plan), shared_(shared), inputs_(inputs), owned_(runtime) {}
  // A value that is given the contents of a graph's input before each run.
  struct Restored {
    std::size_t value = 0, input = 0;
  };
  Status bind_values();
  Status note_in_place(const PlanStep& step);
  Status bind_steps();
  Status fill(const Buffer& buffer, const TensorType& type, InputPattern pattern);
  Status restore_inputs(int set);
  std::span<const Launch> run_on(int set, int runs = 1) const;
  Result<Timing> time_launches(int repetitions);
  Result<std::vector<std::byte>> download_output(std::size_t output, int set);
  int sets() const { return shared_.cycle.sets(); }

  DeviceRuntime& runtime_;
  const Plan& plan_;
  SharedBuffers& shared_;
  InputSpec inputs_;
  BufferSet owned_;
  std::vector<std::vector<Buffer>> values_;  // [Plan::values][set]
  std::vector<Restored> restored_;           // what a kernel overwrites: own copies of inputs, or outputs that begin as one
  std::vector<std::pair<std::vector<Buffer>, TensorType>> scratch_;
  std::vector<std::unique_ptr<Executable>> executables_;
  std::vector<Launch> launches_;  // run by run: two turns where buffers rotate, so that a turn may begin anywhere
};

}  // namespace fuselab::worker
