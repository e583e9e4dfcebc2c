// SPDX-License-Identifier: Apache-2.0
#include "app/deploy/plan/model_plan.h"

#include <algorithm>
#include <map>

#include "core/memory/memory_plan.h"

namespace fuselab::deploy {
namespace {

constexpr std::int64_t kAlignment = 64;  // what the loader gives every buffer, and the most that a kernel may ask for

Result<BundleTensor> tensor_of(const Value& value) {
  BundleTensor tensor{value.name, std::string(name_of(value.type.dtype)), {}, 0, -1};
  for (const Dim& extent : value.type.shape) tensor.shape.push_back(extent.extent());
  FL_TRY(const Bytes size, size_of(value.type));
  tensor.bytes = size.count;
  return tensor;
}

// Values and steps of a plan as they are met, and where intermediates lie.
class StepWriter {
 public:
  explicit StepWriter(Bundle& bundle) : bundle_(bundle) {}

  Result<int> add_value(const TensorType& type) {
    FL_TRY(const Bytes size, size_of(type));
    return add_value(size);
  }

  // `places`: of the plan's inputs and outputs; they grow by its intermediates.
  Status add_steps(const PlannedPiece& piece, std::vector<int> places) {
    for (std::size_t i = places.size(); i < piece.plan->values.size(); ++i) {
      FL_TRY(const int place, add_value(piece.plan->values[i]));
      places.push_back(place);
    }
    for (std::size_t i = 0; i < piece.plan->steps.size(); ++i) {
      BundleStep step{piece.piece, piece.kernels[i], {}};
      std::size_t bound = 0;
      for (const BundleArgument& argument : bundle_.manifest.kernels[static_cast<std::size_t>(step.kernel)].arguments) {
        if (argument.role == "scratch") {
          step.arguments.push_back(add_value(Bytes{argument.bytes}));
          continue;
        }
        if (bound >= piece.plan->steps[i].arguments.size())
          return Error{ErrorCode::kInternal, "a kernel takes more than its step gives"};
        step.arguments.push_back(places[static_cast<std::size_t>(piece.plan->steps[i].arguments[bound++])]);
      }
      model_.steps.push_back(std::move(step));
    }
    return {};
  }

  Status place_intermediates() {
    std::vector<BufferLife> lives;
    std::vector<std::size_t> which;
    std::vector<std::size_t> at(model_.values.size(), SIZE_MAX);
    for (int step = 0; step < static_cast<int>(model_.steps.size()); ++step) {
      for (const int argument : model_.steps[static_cast<std::size_t>(step)].arguments) {
        const auto value = static_cast<std::size_t>(argument);
        if (!model_.values[value].place.empty()) continue;
        if (at[value] == SIZE_MAX) {
          at[value] = lives.size();
          lives.push_back({step, step, {model_.values[value].bytes}});
          which.push_back(value);
        }
        lives[at[value]].last = step;
      }
    }
    FL_TRY(const MemoryPlan plan, plan_memory(lives, kAlignment));
    for (std::size_t i = 0; i < which.size(); ++i) {
      model_.values[which[i]].place = "arena";
      model_.values[which[i]].offset = plan.offsets[i];
    }
    model_.arena_bytes = plan.total.count;
    model_.unshared_bytes = plan.unshared.count;
    return {};
  }

  BundleModel& model() { return model_; }

 private:
  int add_value(Bytes size) {
    model_.values.push_back({"", 0, size.count});
    return static_cast<int>(model_.values.size()) - 1;
  }

  Bundle& bundle_;
  BundleModel model_;
};

// Writes one model's plan.
class Planner {
 public:
  Planner(const engine::ExecutionGraph& graph, Bundle& bundle) : graph_(graph), bundle_(bundle), writer_(bundle) {}

  Status add_uses(const std::vector<PlannedPiece>& pieces) {
    for (const engine::PieceUse& use : graph_.uses) FL_TRY_VOID(add_use(use, pieces[use.piece]));
    return {};
  }

  // Interface: inputs keep their order, and an output lies where it is computed unless it is an input, a weight or another output.
  Status place_interface(const engine::WeightNumbers& weights, std::uint64_t seed) {
    const Graph& whole = graph_.whole();
    FL_TRY_VOID(make_room_for_weights());
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      FL_TRY(BundleTensor tensor, tensor_of(whole.value(whole.outputs()[i])));
      FL_TRY(tensor.value, of(graph_.outputs[i]));
      const bool computed = whole.value(graph_.outputs[i]).origin == ValueOrigin::kNode;
      BundleValue& value = model_.values[static_cast<std::size_t>(tensor.value)];
      if (computed && value.place.empty()) {
        value.place = "output";
        value.offset = static_cast<std::int64_t>(i);
      }
      model_.outputs.push_back(std::move(tensor));
    }
    for (std::size_t i = 0; i < whole.inputs().size(); ++i) {
      const ValueId id = whole.inputs()[i];
      const auto used = places_.find(id);
      if (whole.value(id).origin == ValueOrigin::kParam) {
        if (used != places_.end()) FL_TRY_VOID(place_weight(i, used->second, weights, seed));
        continue;
      }
      FL_TRY(BundleTensor tensor, tensor_of(whole.value(id)));
      if (used != places_.end()) {
        tensor.value = used->second;
        BundleValue& value = model_.values[static_cast<std::size_t>(used->second)];
        value.place = "input";
        value.offset = static_cast<std::int64_t>(model_.inputs.size());
      }
      model_.inputs.push_back(std::move(tensor));
    }
    return {};
  }

  Result<BundleModel> take() {
    FL_TRY_VOID(writer_.place_intermediates());
    return std::move(model_);
  }

 private:
  Result<int> of(ValueId id) {
    if (const auto known = places_.find(id); known != places_.end()) return known->second;
    FL_TRY(const int place, writer_.add_value(graph_.whole().type(id)));
    places_.emplace(id, place);
    return place;
  }

  Status add_use(const engine::PieceUse& use, const PlannedPiece& piece) {
    std::vector<int> places;
    for (const auto* const ids : {&use.inputs, &use.outputs}) {
      for (const ValueId id : *ids) {
        FL_TRY(const int place, of(id));
        places.push_back(place);
      }
    }
    return writer_.add_steps(piece, std::move(places));
  }

  // Once for all, since growing step by step holds two copies at a time.
  Status make_room_for_weights() {
    const Graph& whole = graph_.whole();
    std::size_t bytes = bundle_.weights.size();
    for (const ValueId id : whole.inputs()) {
      if (whole.value(id).origin != ValueOrigin::kParam || !places_.contains(id)) continue;
      FL_TRY(const Bytes size, size_of(whole.type(id)));
      bytes += static_cast<std::size_t>(size.count) + kAlignment;
    }
    bundle_.weights.reserve(bytes);
    return {};
  }

  Status place_weight(std::size_t index, int place, const engine::WeightNumbers& weights, std::uint64_t seed) {
    const Value& value = graph_.whole().value(graph_.whole().inputs()[index]);
    FL_TRY(const engine::InputTensor tensor, engine::input_tensor(graph_.whole(), index, {}, {}, weights, seed));
    const std::int64_t offset = bundle_.keep_weights(tensor.bytes, kAlignment);
    BundleValue& placed = model_.values[static_cast<std::size_t>(place)];
    placed.place = "weights";
    placed.offset = offset;
    const bool from_file = tensor.source == engine::InputTensor::Source::kFile;
    model_.weights.push_back({value.name, type_text(value.type), offset, from_file ? "file" : "seed"});
    return {};
  }

  const engine::ExecutionGraph& graph_;
  Bundle& bundle_;
  StepWriter writer_;
  BundleModel& model_ = writer_.model();
  std::map<ValueId, int> places_;
};

}  // namespace

Result<BundleKernel> describe_kernel(const CompiledKernel& kernel, Bundle& bundle) {
  if (kernel.binary.format != "elf-so")
    return Error{ErrorCode::kUnsupported, "a bundle holds kernels for CPUs only, this one is '" + kernel.binary.format + "'"};
  // The loader asks a processor for a level of x86-64 alone.
  if (kernel.config.choice("dot", "") == "vnni") {
    return Error{ErrorCode::kUnsupported, "kernel '" + kernel.abi.entry + "' uses AVX512-VNNI, which " + kernel.identity.target +
                                              " does not have: export one with dot=pairs"};
  }
  BundleKernel described;
  described.key = kernel.kernel_id();
  described.entry = kernel.abi.entry;
  described.target = kernel.identity.target;
  described.config = kernel.config.text();
  described.threads = static_cast<int>(std::max<std::int64_t>(1, kernel.config.integer("threads", 1)));
  FL_TRY(described.tasks, kernel.abi.grid_x.evaluate({}));
  FL_TRY(described.scratch_bytes, kernel.abi.shared_bytes.evaluate({}));
  for (const KernelArgument& argument : kernel.abi.arguments) {
    if (argument.role == BufferRole::kInOut)
      return Error{ErrorCode::kUnsupported, "a kernel overwrites its argument '" + argument.name +
                                                "' in place, and the loader makes no copy before a run: give it an argument of the "
                                                "role in and one of the role out"};
    if (argument.role == BufferRole::kProviderOwned || argument.alignment > kAlignment)
      return Error{ErrorCode::kUnsupported, "argument '" + argument.name + "' of kernel '" + kernel.abi.entry + "' is " +
                                                std::string(name_of(argument.role)) + " at a multiple of " +
                                                std::to_string(argument.alignment) + " bytes, which the loader does not provide"};
    FL_TRY(const Bytes size, size_of(argument.type));
    described.arguments.push_back(
        {argument.name, std::string(name_of(argument.role)), type_text(argument.type), size.count, argument.alignment});
  }
  if (!kernel.abi.preparation.entry.empty()) {
    BundlePreparation preparation{kernel.abi.preparation.entry, kernel.abi.preparation.inputs, 0, 0};
    FL_TRY(preparation.tasks, kernel.abi.preparation.tasks.evaluate({}));
    FL_TRY(preparation.bytes, kernel.abi.preparation.bytes.evaluate({}));
    described.preparation = std::move(preparation);
  }
  described.generator = kernel.identity.generator;
  described.generator_version = kernel.identity.generator_version;
  described.compiler = kernel.identity.compiler;
  described.compiler_version = kernel.identity.compiler_version;
  described.flags = kernel.identity.flags;
  described.file = bundle.keep_code(kernel.binary.data);
  described.source = bundle.keep_source(kernel.source.text);
  return described;
}

Result<BundleModel> model_plan(const engine::ExecutionGraph& graph, const std::vector<PlannedPiece>& pieces,
                               const engine::WeightNumbers& weights, std::uint64_t seed, Bundle& bundle) {
  Planner planner(graph, bundle);
  FL_TRY_VOID(planner.add_uses(pieces));
  FL_TRY_VOID(planner.place_interface(weights, seed));
  return planner.take();
}

Result<BundleModel> piece_plan(const PlannedPiece& piece, Bundle& bundle) {
  StepWriter writer(bundle);
  BundleModel& model = writer.model();
  const Graph& graph = piece.plan->graph;
  std::vector<int> places;
  for (const auto* const ids : {&graph.inputs(), &graph.outputs()}) {
    const bool given = ids == &graph.inputs();
    for (std::size_t i = 0; i < ids->size(); ++i) {
      const Value& value = graph.value((*ids)[i]);
      FL_TRY(BundleTensor tensor, tensor_of(value));
      FL_TRY(tensor.value, writer.add_value(value.type));
      model.values.back().place = given ? "input" : "output";
      model.values.back().offset = static_cast<std::int64_t>(i);
      places.push_back(tensor.value);
      (given ? model.inputs : model.outputs).push_back(std::move(tensor));
    }
  }
  FL_TRY_VOID(writer.add_steps(piece, std::move(places)));
  FL_TRY_VOID(writer.place_intermediates());
  return std::move(model);
}

}  // namespace fuselab::deploy
