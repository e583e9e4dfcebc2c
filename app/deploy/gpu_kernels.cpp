// SPDX-License-Identifier: Apache-2.0
#include "app/deploy/gpu_kernels.h"

#include "app/deploy/modules/chosen_config.h"
#include "core/types/tensor_type.h"

namespace fuselab::deploy {
namespace {

constexpr std::string_view kBackend = "triton", kDevice = "triton:0";
constexpr std::int64_t kPointerAlignment = 16;  // bytes that the compiled text assumes of every address

Result<std::vector<std::int64_t>> three(const DimFormula& x, const DimFormula& y, const DimFormula& z) {
  std::vector<std::int64_t> numbers;
  for (const DimFormula* const each : {&x, &y, &z}) {
    FL_TRY(const std::int64_t number, each->evaluate({}));
    numbers.push_back(number);
  }
  return numbers;
}

Result<BundleGpuKernel> described(const CompiledKernel& kernel) {
  const KernelAbi& abi = kernel.abi;
  if (!abi.after.empty() || !abi.maps.empty() || abi.cluster != 1)
    return Error{ErrorCode::kUnsupported, "its kernel needs more than one plain launch, which a bundle does not describe"};
  BundleGpuKernel out;
  out.format = kernel.binary.format;
  out.target = kernel.identity.target;
  out.entry = abi.entry;
  out.config = kernel.config.text();
  FL_TRY(out.grid, three(abi.grid_x, abi.grid_y, abi.grid_z));
  FL_TRY(out.block, three(abi.block_x, abi.block_y, abi.block_z));
  FL_TRY(out.shared_bytes, abi.shared_bytes.evaluate({}));
  for (const EntryParameter& parameter : abi.parameters) {
    if (parameter.buffer < 0) {
      out.parameters.push_back({"", "null", "", 0, 1});
      continue;
    }
    const KernelArgument& argument = abi.arguments[static_cast<std::size_t>(parameter.buffer)];
    FL_TRY(const Bytes size, size_of(argument.type));
    out.parameters.push_back(
        {argument.name, std::string(name_of(argument.role)), type_text(argument.type), size.count, kPointerAlignment});
  }
  out.compiler = kernel.identity.compiler;
  out.compiler_version = kernel.identity.compiler_version;
  out.flags = kernel.identity.flags;
  return out;
}

}  // namespace

Result<GpuKernels> GpuKernels::open(engine::Engine& engine, engine::WorkerPool& workers, const std::vector<std::string>& targets,
                                    OptimizationLevel level) {
  std::vector<engine::Workshop> workshops;
  for (const std::string& id : targets) {
    FL_TRY(VirtualTarget target, virtual_target(id));
    target.backend = kBackend;
    workshops.emplace_back(workers, std::move(target), level);
  }
  return GpuKernels(engine, std::move(workshops));
}

Result<BundleGpuKernel> GpuKernels::compiled(engine::Workshop& workshop, const engine::Piece& piece, Bundle& bundle,
                                             const std::stop_token& stop) {
  const Graph& graph = piece.operation.graph;
  FL_TRY(const wire::DescribeReply reply, workshop.describe(graph, stop));
  if (!reply.support.yes) return Error{ErrorCode::kUnsupported, reply.support.why_not};
  FL_TRY(const ChosenConfig chosen, chosen_config(engine_->queries(), std::string(kDevice), piece.key, reply));
  FL_TRY(const CompiledKernel kernel, workshop.compile(graph, chosen.config, stop));
  FL_TRY(BundleGpuKernel out, described(kernel));
  out.configured = chosen.median_ns ? kUnconfirmed : kDefault;
  out.file = ContentHash::of(kernel.binary.data).hex();
  bundle.gpu_code.try_emplace(out.file, kernel.binary.data);
  return out;
}

Status GpuKernels::add(const engine::Piece& piece, const std::string& name, Bundle& bundle, const std::stop_token& stop) {
  for (engine::Workshop& workshop : workshops_) {
    auto kernel = compiled(workshop, piece, bundle, stop);
    if (!kernel.ok() && (kernel.error().code == ErrorCode::kCancelled || kernel.error().code == ErrorCode::kIo))
      return kernel.error();
    if (!kernel.ok()) {
      left_out_.push_back(name + " for " + workshop.target().id + ": " + kernel.error().message);
      continue;
    }
    kernel.value().piece = name;
    bundle.manifest.gpu_kernels.push_back(std::move(kernel).value());
  }
  return {};
}

}  // namespace fuselab::deploy
