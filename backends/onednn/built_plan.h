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
#include "backends/library/host/host_library.h"
#include "backends/library/plan_text.h"
#include "backends/onednn/library/primitive.h"
#include "backends/onednn/lowering.h"

namespace fuselab::onednn {

PrimitiveChoices choices_of(const LaunchConfig& config);
// Returns a function that asks the library about each primitive by itself, in the layouts of the graph.
AskLibrary ask(const OneDnnLibrary& library);
// Returns a plan's program: the names of its primitives' implementations, one a line.
std::string program_of(const std::vector<std::string>& implementations);

// A stored plan with its primitives made: ready to run once it is given memory. Owns the memory between its primitives, packed
// weights and scratch. Must be destroyed before its library. Used by one thread.
class BuiltPlan final : public library::HostPlan {
 public:
  // Fails with kUnsupported where the library would now take other implementations than the plan's program names.
  static Result<std::unique_ptr<library::HostPlan>> build(std::shared_ptr<OneDnnLibrary> library, const library::PlanText& plan);
  BuiltPlan(const BuiltPlan&) = delete;
  BuiltPlan& operator=(const BuiltPlan&) = delete;

  Result<std::unique_ptr<library::BoundPlan>> bind(const library::Places& places) override;
  std::string remarks() const override;

  // Where the library is told that a tensor lies.
  struct Placement {
    abi::Memory memory;
    std::byte* address;
  };
  // For bound plans. The library keeps the places of one of them at a time: they are told again where it has another's.
  Status run(std::uint64_t binding, const std::vector<Placement>& placements);

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
  Status place(const Placement& placement);
  Result<Step> make_step(abi::Description description, std::string what);
  Result<Step> reorder(abi::MemoryDesc from, abi::Memory source, abi::MemoryDesc to, abi::Memory destination, std::string what);
  Result<abi::Memory> packed_weights(const PrimitiveSpec& spec, const DescribedPrimitive& described, abi::Memory plain);
  Status execute(const Step& step);

  std::shared_ptr<OneDnnLibrary> library_;
  PrimitivePlan plan_;
  std::uint64_t bindings_ = 0;  // made so far; each has its number
  std::uint64_t placed_ = 0;    // the binding whose places the library has
  std::vector<host::GuardedMemory> kept_, own_;
  std::vector<Owned<abi::Memory>> memories_;
  std::vector<Bound> bound_;
  std::vector<Packing> packings_;
  std::vector<Step> steps_;
  std::string reference_paths_;
  bool reorders_activations_ = false;
};

}  // namespace fuselab::onednn
