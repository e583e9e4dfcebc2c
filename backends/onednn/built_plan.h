// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/host/guarded_memory.h"
#include "backends/host/packed_copies.h"
#include "backends/onednn/library/primitive.h"
#include "backends/onednn/lowering.h"
#include "backends/onednn/plan_text.h"

namespace fuselab::onednn {

PrimitiveChoices choices_of(const LaunchConfig& config);
// Returns a function that asks the library about each primitive by itself, in the layouts of the graph.
AskLibrary ask(const OneDnnLibrary& library);

// A stored plan with its primitives made: ready to run once it is given memory. Owns the memory between its primitives, packed
// weights and scratch. Must be destroyed before its library. Used by one thread.
class BuiltPlan {
 public:
  // Fails with kUnsupported where the library would now take other implementations than the plan names.
  static Result<std::unique_ptr<BuiltPlan>> build(std::shared_ptr<OneDnnLibrary> library, const PlanText& plan);
  BuiltPlan(const BuiltPlan&) = delete;
  BuiltPlan& operator=(const BuiltPlan&) = delete;

  int threads() const { return threads_; }
  std::size_t arguments() const { return static_cast<std::size_t>(plan_.arguments); }
  // Sets the addresses of the caller's tensors. `versions` tells for each how often it was written from outside: weights that have
  // not changed since they were packed are not packed again, even when another address was bound in between.
  Status bind(const std::vector<std::byte*>& addresses, const std::vector<std::uint64_t>& versions);
  Status run();
  // Returns what is not part of the timings or makes them unusual; empty: nothing.
  std::string remarks() const;

 private:
  struct Step {
    Owned<abi::Primitive> primitive;
    std::vector<abi::ExecutionArgument> arguments;
    std::string what;
  };
  struct Packing {
    Step step;
    int tensor;
    abi::Memory packed;
    host::PackedCopies copies;
  };
  struct Bound {
    abi::Memory memory;
    int tensor;
  };

  BuiltPlan(std::shared_ptr<OneDnnLibrary> library, PrimitivePlan plan) : library_(std::move(library)), plan_(std::move(plan)) {}
  Status add(const PrimitiveSpec& spec, const PrimitiveChoices& choices, const std::string& expected);
  Result<abi::Memory> memory_for(const Operand& operand);
  Result<abi::Memory> named_memory(abi::MemoryDesc description, std::byte* data);
  Result<abi::Memory> own_memory(abi::MemoryDesc description);
  Status pack(Packing& packing, const std::byte* from, std::uint64_t version);
  Result<Step> make_step(abi::Description description, std::string what);
  Result<Step> reorder(abi::MemoryDesc from, abi::Memory source, abi::MemoryDesc to, abi::Memory destination, std::string what);
  Result<abi::Memory> packed_weights(const PrimitiveSpec& spec, const DescribedPrimitive& described, abi::Memory plain);
  Status execute(const Step& step);

  std::shared_ptr<OneDnnLibrary> library_;
  PrimitivePlan plan_;
  int threads_ = 1;
  std::vector<host::GuardedMemory> kept_, own_;
  std::vector<Owned<abi::Memory>> memories_;
  std::vector<Bound> bound_;
  std::vector<Packing> packings_;
  std::vector<Step> steps_;
  std::string reference_paths_;
  bool reorders_activations_ = false;
};

}  // namespace fuselab::onednn
