// SPDX-License-Identifier: Apache-2.0
#include "backends/onednn/built_plan.h"

#include <sstream>

namespace fuselab::onednn {
namespace {

std::string after(const std::string& text, const std::string& more) {
  return text.empty() ? more : text + "; " + more;
}

class OneDnnBoundPlan final : public library::BoundPlan {
 public:
  OneDnnBoundPlan(BuiltPlan& plan, std::uint64_t binding, std::vector<BuiltPlan::Placement> placements)
      : plan_(plan), binding_(binding), placements_(std::move(placements)) {}
  Status run() override { return plan_.run(binding_, placements_); }

 private:
  BuiltPlan& plan_;
  std::uint64_t binding_;
  std::vector<BuiltPlan::Placement> placements_;
};

}  // namespace

PrimitiveChoices choices_of(const LaunchConfig& config) {
  return {config.choice("weights", "plain") == "packed", config.choice("activations", "plain") == "blocked",
          config.choice("scratch", "library") == "own"};
}

AskLibrary ask(const OneDnnLibrary& library) {
  return [&library](const PrimitiveSpec& spec) -> Result<std::string> {
    FL_TRY(const DescribedPrimitive described, DescribedPrimitive::describe(library, spec, {}));
    return described.implementation();
  };
}

std::string program_of(const std::vector<std::string>& implementations) {
  std::string text;
  for (const std::string& each : implementations) text += each + "\n";
  return text;
}

Result<std::unique_ptr<library::HostPlan>> BuiltPlan::build(std::shared_ptr<OneDnnLibrary> library, const library::PlanText& plan) {
  FL_TRY_VOID(library->team().use(library::threads_of(plan.config)));
  FL_TRY(PrimitivePlan lowered, lower(plan.graph, ask(*library)));
  std::unique_ptr<BuiltPlan> built(new BuiltPlan(std::move(library), std::move(lowered)));
  const std::vector<PrimitiveSpec>& primitives = built->plan_.primitives;
  std::vector<std::string> implementations;
  std::istringstream program(plan.program);
  for (std::string line; std::getline(program, line);) implementations.push_back(line);
  if (primitives.size() != implementations.size()) {
    return Error{ErrorCode::kUnsupported, "the plan has " + std::to_string(implementations.size()) +
                                              " primitives, the library now needs " + std::to_string(primitives.size())};
  }
  for (const std::int64_t bytes : built->plan_.kept_bytes) {
    FL_TRY(host::GuardedMemory memory, host::GuardedMemory::create({bytes}));
    built->kept_.push_back(std::move(memory));
  }
  const PrimitiveChoices choices = choices_of(plan.config);
  for (std::size_t i = 0; i < primitives.size(); ++i) {
    FL_TRY_VOID(built->add(primitives[i], choices, implementations[i]));
  }
  return std::unique_ptr<library::HostPlan>(std::move(built));
}

Result<abi::Memory> BuiltPlan::memory_for(const Operand& operand) {
  FL_TRY(const MemoryDescriptor description, memory_of(*library_, operand.layout));
  std::byte* const data =
      operand.tensor < plan_.arguments ? nullptr : kept_[static_cast<std::size_t>(operand.tensor - plan_.arguments)].data();
  FL_TRY(const abi::Memory made, named_memory(description.get(), data));
  if (operand.tensor < plan_.arguments) bound_.push_back({made, operand.tensor});
  return made;
}

Result<abi::Memory> BuiltPlan::named_memory(abi::MemoryDesc description, std::byte* data) {
  const auto& calls = library_->calls();
  abi::Memory made = nullptr;
  FL_TRY_VOID(OneDnnLibrary::check(calls.create_memory(&made, description, library_->engine(), data), "naming a tensor"));
  memories_.emplace_back(made, calls.destroy_memory);
  return made;
}

Result<abi::Memory> BuiltPlan::own_memory(abi::MemoryDesc description) {
  const auto bytes = static_cast<std::int64_t>(library_->calls().bytes_of(description));
  FL_TRY(host::GuardedMemory memory, host::GuardedMemory::create({bytes}));
  FL_TRY(const abi::Memory made, named_memory(description, memory.data()));
  own_.push_back(std::move(memory));
  return made;
}

Result<BuiltPlan::Step> BuiltPlan::make_step(abi::Description description, std::string what) {
  const auto& calls = library_->calls();
  abi::Primitive made = nullptr;
  FL_TRY_VOID(OneDnnLibrary::check(calls.create_primitive(&made, description), "making " + what));
  return Step{Owned<abi::Primitive>(made, calls.destroy_primitive), {}, std::move(what)};
}

Result<BuiltPlan::Step> BuiltPlan::reorder(abi::MemoryDesc from, abi::Memory source, abi::MemoryDesc to, abi::Memory destination,
                                           std::string what) {
  const auto& calls = library_->calls();
  abi::Description made = nullptr;
  FL_TRY_VOID(OneDnnLibrary::check(calls.describe_reorder(&made, from, library_->engine(), to, library_->engine(), nullptr),
                                   "describing " + what));
  const Owned<abi::Description> description(made, calls.destroy_description);
  FL_TRY(Step step, make_step(made, std::move(what)));
  step.arguments = {{abi::kSource, source}, {abi::kDestination, destination}};
  return step;
}

Result<abi::Memory> BuiltPlan::packed_weights(const PrimitiveSpec& spec, const DescribedPrimitive& described, abi::Memory plain) {
  FL_TRY(const MemoryDescriptor given, memory_of(*library_, spec.weights->layout));
  const abi::MemoryDesc wanted = described.wanted(abi::kQueryWeights);
  if (wanted == nullptr || library_->calls().equal(given.get(), wanted) != 0) return plain;
  FL_TRY(const abi::Memory packed, named_memory(wanted, nullptr));
  FL_TRY(Step step, reorder(given.get(), plain, wanted, packed, "packing weights"));
  const Bytes size{static_cast<std::int64_t>(library_->calls().bytes_of(wanted))};
  packings_.push_back({std::move(step), spec.weights->tensor, packed, host::PackedCopies(size)});
  return packed;
}

Status BuiltPlan::add(const PrimitiveSpec& spec, const PrimitiveChoices& choices, const std::string& expected) {
  FL_TRY(const DescribedPrimitive described, DescribedPrimitive::describe(*library_, spec, choices));
  if (described.implementation() != expected) {
    return Error{ErrorCode::kUnsupported, "the plan names the implementation '" + expected + "' for " + spec.covers +
                                              ", the library now takes '" + described.implementation() + "'"};
  }
  if (is_reference_path(expected)) {
    reference_paths_ = after(reference_paths_, "oneDNN took its slow reference path (" + expected + ") for " + spec.covers);
  }
  const auto& calls = library_->calls();
  FL_TRY(Step step, make_step(described.get(), std::string(name_of(spec.kind))));
  FL_TRY(abi::Memory source, memory_for(spec.source));
  FL_TRY(abi::Memory destination, memory_for(spec.destination));
  std::optional<Step> before, behind;
  if (choices.activations_blocked && spec.kind == PrimitiveKind::kConvolution) {
    FL_TRY(const MemoryDescriptor source_given, memory_of(*library_, spec.source.layout));
    FL_TRY(const MemoryDescriptor destination_given, memory_of(*library_, spec.destination.layout));
    const abi::MemoryDesc source_wanted = described.wanted(abi::kQuerySource);
    const abi::MemoryDesc destination_wanted = described.wanted(abi::kQueryDestination);
    if (calls.equal(source_given.get(), source_wanted) == 0) {
      FL_TRY(const abi::Memory blocked, own_memory(source_wanted));
      FL_TRY(before, reorder(source_given.get(), source, source_wanted, blocked, "laying out the source"));
      source = blocked;
    }
    if (calls.equal(destination_given.get(), destination_wanted) == 0) {
      FL_TRY(const abi::Memory blocked, own_memory(destination_wanted));
      FL_TRY(behind, reorder(destination_wanted, blocked, destination_given.get(), destination, "laying out the result"));
      destination = blocked;
    }
    reorders_activations_ = reorders_activations_ || before || behind;
  }
  step.arguments = {{abi::kSource, source}, {abi::kDestination, destination}};
  if (spec.weights) {
    FL_TRY(abi::Memory weights, memory_for(*spec.weights));
    if (choices.weights_packed && spec.constant_weights) {
      FL_TRY(weights, packed_weights(spec, described, weights));
    }
    step.arguments.push_back({spec.kind == PrimitiveKind::kBinary ? abi::kSource1 : abi::kWeights, weights});
  }
  struct Named {
    abi::Argument argument;
    const std::optional<Operand>* operand;
  };
  for (const Named each : {Named{abi::kBias, &spec.bias}, Named{abi::kMean, &spec.mean}, Named{abi::kVariance, &spec.variance},
                           Named{abi::kScale, &spec.scale}, Named{abi::kShift, &spec.shift}}) {
    if (!*each.operand) continue;
    FL_TRY(const abi::Memory memory, memory_for(**each.operand));
    step.arguments.push_back({each.argument, memory});
  }
  for (std::size_t i = 0; i < spec.post_ops.size(); ++i) {
    if (!spec.post_ops[i].operand) continue;
    FL_TRY(const abi::Memory memory, memory_for(*spec.post_ops[i].operand));
    step.arguments.push_back({library_->post_op_argument(i), memory});
  }
  const abi::MemoryDesc scratch = choices.own_scratch ? described.wanted(abi::kQueryScratchpad) : nullptr;
  if (scratch != nullptr && calls.bytes_of(scratch) > 0) {
    FL_TRY(const abi::Memory memory, own_memory(scratch));
    step.arguments.push_back({abi::kScratchpad, memory});
  }
  if (before) steps_.push_back(std::move(*before));
  steps_.push_back(std::move(step));
  if (behind) steps_.push_back(std::move(*behind));
  return {};
}

Result<std::unique_ptr<library::BoundPlan>> BuiltPlan::bind(const library::Places& places) {
  placed_ = ++bindings_;
  std::vector<Placement> placements;
  for (const Bound& each : bound_) {
    placements.push_back({each.memory, places.addresses[static_cast<std::size_t>(each.tensor)]});
    FL_TRY_VOID(place(placements.back()));
  }
  for (Packing& packing : packings_) {
    const auto at = static_cast<std::size_t>(packing.tensor);
    const auto pack = [&](std::byte* to) -> Status {
      FL_TRY_VOID(place({packing.packed, to}));
      return execute(packing.step);
    };
    FL_TRY(std::byte* const copy, packing.copies.copy_of(places.addresses[at], places.versions[at], pack));
    placements.push_back({packing.packed, copy});
    FL_TRY_VOID(place(placements.back()));
  }
  return std::unique_ptr<library::BoundPlan>(std::make_unique<OneDnnBoundPlan>(*this, bindings_, std::move(placements)));
}

Status BuiltPlan::place(const Placement& placement) {
  return OneDnnLibrary::check(library_->calls().set_data(placement.memory, static_cast<void*>(placement.address)),
                              "placing a tensor");
}

Status BuiltPlan::execute(const Step& step) {
  return OneDnnLibrary::check(library_->calls().execute(step.primitive.get(), library_->stream(),
                                                        static_cast<int>(step.arguments.size()), step.arguments.data()),
                              step.what);
}

Status BuiltPlan::run(std::uint64_t binding, const std::vector<Placement>& placements) {
  if (binding != placed_) {
    for (const Placement& each : placements) FL_TRY_VOID(place(each));
    placed_ = binding;
  }
  for (const Step& step : steps_) {
    if (Status done = execute(step); !done.ok()) return done;
  }
  return OneDnnLibrary::check(library_->calls().wait(library_->stream()), "waiting for the CPU");
}

std::string BuiltPlan::remarks() const {
  std::string text = reference_paths_;
  if (!packings_.empty()) text = after(text, "weights laid out ahead of time, which is not in the figure");
  if (reorders_activations_) text = after(text, "activations laid out anew in every run, which is in the figure");
  if (plan_.primitives.size() > 1) text = after(text, std::to_string(plan_.primitives.size()) + " oneDNN primitives");
  return text;
}

}  // namespace fuselab::onednn
