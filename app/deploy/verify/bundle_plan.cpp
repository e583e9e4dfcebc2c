// SPDX-License-Identifier: Apache-2.0
#include "app/deploy/verify/bundle_plan.h"

#include <algorithm>

#include "core/graph/graph_text.h"

namespace fuselab::deploy {
namespace {

constexpr int kUnplaced = -1;

Error inconsistent(const std::string& what) {
  return {ErrorCode::kCorrupt, "its manifest is inconsistent: " + what};
}

bool runs(const DeviceInfo& device, const std::string& target) {
  return target == device.target.id || std::any_of(device.other_targets.begin(), device.other_targets.end(),
                                                   [&](const Target& other) { return other.id == target; });
}

// Intermediates have bytes, and no type that anything depends on.
TensorType bytes_type(std::int64_t bytes) {
  return {DType::kU8, Shape{Dim(bytes)}};
}

// Writes the plan of one piece.
class PieceReader {
 public:
  PieceReader(const BundlePiece& piece, const InspectedBundle& bundle, const DeviceInfo& device)
      : run_(*piece.run), bundle_(bundle), device_(device), places_(run_.values.size(), kUnplaced) {}

  Status read_interface(Graph graph) {
    plan_.graph = std::move(graph);
    FL_TRY_VOID(place(run_.inputs, plan_.graph.inputs()));
    return place(run_.outputs, plan_.graph.outputs());
  }

  Status read_step(const BundleStep& step) {
    FL_TRY(const BundleKernel* const kernel, kernel_of(step.kernel));
    if (kernel->arguments.size() != step.arguments.size())
      return inconsistent("a step gives its kernel more or less than it takes");
    PlanStep read;
    FL_TRY(read.kernel, compiled(*kernel));
    for (std::size_t i = 0; i < step.arguments.size(); ++i) {
      KernelArgument& argument = read.kernel.abi.arguments[i];
      argument.type = bytes_type(kernel->arguments[i].bytes);
      if (argument.role == BufferRole::kScratch) continue;
      FL_TRY(const int place, place_of(step.arguments[i], kernel->arguments[i].bytes));
      argument.type = plan_.values[static_cast<std::size_t>(place)];
      read.arguments.push_back(place);
    }
    plan_.steps.push_back(std::move(read));
    return {};
  }

  Plan take() { return std::move(plan_); }

 private:
  Status place(const std::vector<BundleTensor>& tensors, const std::vector<ValueId>& values) {
    if (tensors.size() != values.size()) return inconsistent("a piece has more or fewer tensors than its graph");
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const auto value = static_cast<std::size_t>(tensors[i].value);
      if (tensors[i].value < 0 || value >= places_.size() || places_[value] != kUnplaced)
        return inconsistent("a piece's tensor has no value of its own");
      const TensorType& type = plan_.graph.type(values[i]);
      FL_TRY(const Bytes size, size_of(type));
      if (size.count != run_.values[value].bytes) return inconsistent("a piece's tensor has another size than in its graph");
      places_[value] = static_cast<int>(plan_.values.size());
      plan_.values.push_back(type);
    }
    return {};
  }

  Result<int> place_of(int value, std::int64_t least) {
    const auto index = static_cast<std::size_t>(value);
    if (value < 0 || index >= places_.size() || run_.values[index].bytes < least)
      return inconsistent("a kernel is given less memory than it works on");
    if (places_[index] == kUnplaced) {
      places_[index] = static_cast<int>(plan_.values.size());
      plan_.values.push_back(bytes_type(run_.values[index].bytes));
    }
    return places_[index];
  }

  Result<const BundleKernel*> kernel_of(int index) const {
    const auto& kernels = bundle_.manifest.kernels;
    const auto known = [&](int each) { return each >= 0 && static_cast<std::size_t>(each) < kernels.size(); };
    if (!known(index)) return inconsistent("a step runs a kernel that is not there");
    const BundleKernel* const tuned = &kernels[static_cast<std::size_t>(index)];
    if (runs(device_, tuned->target)) return tuned;
    if (tuned->baseline && known(*tuned->baseline)) {
      const BundleKernel* const baseline = &kernels[static_cast<std::size_t>(*tuned->baseline)];
      if (runs(device_, baseline->target)) return baseline;
    }
    return Error{ErrorCode::kUnsupported, "its kernels need " + tuned->target + ", which " + device_.id + " does not run"};
  }

  Result<CompiledKernel> compiled(const BundleKernel& from) const {
    CompiledKernel kernel;
    FL_TRY(kernel.config, LaunchConfig::parse(from.config));
    kernel.binary.format = "elf-so";
    kernel.binary.data = bundle_.code.at(from.file);
    kernel.abi.entry = from.entry;
    kernel.abi.grid_x.text = std::to_string(from.tasks);
    kernel.abi.shared_bytes.text = std::to_string(from.scratch_bytes);
    for (const BundleArgument& argument : from.arguments) {
      FL_TRY(const BufferRole role, parse_buffer_role(argument.role));
      kernel.abi.arguments.push_back({argument.name, role, {}, argument.alignment});
    }
    if (from.preparation) {
      kernel.abi.preparation = {from.preparation->entry,
                                from.preparation->inputs,
                                {std::to_string(from.preparation->tasks)},
                                {std::to_string(from.preparation->bytes)}};
      for (const int input : from.preparation->inputs) {
        if (input < 0 || static_cast<std::size_t>(input) >= from.arguments.size())
          return inconsistent("a kernel prepares what it does not take");
      }
    }
    kernel.identity.backend = device_.backend;
    kernel.identity.generator = from.generator;
    kernel.identity.generator_version = from.generator_version;
    kernel.identity.source = ContentHash::of(from.file);  // its code: the identity must differ wherever that does
    kernel.identity.target = from.target;
    kernel.identity.compiler = from.compiler;
    kernel.identity.compiler_version = from.compiler_version;
    kernel.identity.flags = from.flags;
    kernel.identity.config = from.config;
    return kernel;
  }

  const BundleModel& run_;
  const InspectedBundle& bundle_;
  const DeviceInfo& device_;
  std::vector<int> places_;  // per value of the piece, its place in the plan
  Plan plan_;
};

}  // namespace

Result<Plan> plan_of(const BundlePiece& piece, const InspectedBundle& bundle, const DeviceInfo& device) {
  if (!piece.run) return Error{ErrorCode::kUnsupported, "an older Fuselab exported it, without a plan of the piece by itself"};
  FL_TRY(Graph graph, parse_graph(piece.graph));
  if (!graph.is_concrete()) return inconsistent("a piece's graph has open extents");
  PieceReader reader(piece, bundle, device);
  FL_TRY_VOID(reader.read_interface(std::move(graph)));
  for (const BundleStep& step : piece.run->steps) FL_TRY_VOID(reader.read_step(step));
  Plan plan = reader.take();
  plan.label = piece.name;
  return plan;
}

}  // namespace fuselab::deploy
