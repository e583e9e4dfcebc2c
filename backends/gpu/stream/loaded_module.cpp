// SPDX-License-Identifier: Apache-2.0
#include "backends/gpu/stream/loaded_module.h"

#include <algorithm>
#include <limits>

#include "core/kernel/launch_prediction.h"

namespace fuselab::gpu::stream {
namespace {

Result<unsigned> dimension(const DimFormula& formula, const std::map<std::string, std::int64_t>& dims, const char* name) {
  FL_TRY(const std::int64_t value, formula.evaluate(dims));
  if (value < 1 || value > std::numeric_limits<int>::max()) {
    return Error{ErrorCode::kUnsupported, std::string(name) + " would be " + std::to_string(value)};
  }
  return static_cast<unsigned>(value);
}

Result<BinaryKernel> read_matching(const Vendor& vendor, const CompiledKernel& kernel, const std::string& entry) {
  FL_TRY(const BinaryKernel read, vendor.read_binary(kernel.binary.data, entry));
  if (read.parameters == static_cast<std::int64_t>(kernel.abi.arguments.size())) return read;
  return Error{ErrorCode::kCorrupt, "the " + std::string(vendor.binary_format) + "'s kernel takes " +
                                        std::to_string(read.parameters) + " arguments, its record says " +
                                        std::to_string(kernel.abi.arguments.size())};
}

// Returns what a kernel asks for, as its binary says.
LaunchDemand demand_of(const BinaryKernel& read, std::int64_t threads, std::int64_t dynamic_shared_bytes) {
  LaunchDemand demand;
  demand.threads = threads;
  demand.dynamic_shared_bytes = dynamic_shared_bytes;
  demand.resources["shared_bytes"] = read.shared_bytes;
  if (read.registers) demand.resources["registers"] = *read.registers;
  if (read.max_threads) demand.resources["max_threads"] = *read.max_threads;
  return demand;
}

Status would_launch(const LaunchDemand& demand, const DeviceInfo& device) {
  const LaunchPrediction prediction = predict_launch(demand, device.target);
  if (prediction.launches.yes) return {};
  return Error{ErrorCode::kUnsupported, "it would not launch: " + prediction.launches.why_not};
}

}  // namespace

Result<LoadedModule> LoadedModule::load(DeviceContext& context, const KernelBinary& binary) {
  LoadedModule loaded(context);
  std::string words(4096, '\0');
  int names[] = {context.vendor().log_buffer, context.vendor().log_bytes};
  void* values[] = {words.data(), reinterpret_cast<void*>(words.size())};
  const abi::Code code = context.calls().module_load(&loaded.module_, binary.data.data(), 2, names, values);
  const Status status = context.check(code, "loading a kernel");
  if (status.ok()) return loaded;
  words.resize(std::min(words.size(), std::string(words.c_str()).size()));
  std::replace(words.begin(), words.end(), '\n', ' ');
  Error error = status.error();
  error.message += (words.empty() ? "" : ": " + words) + context.vendor().advice(context.driver().version_number(), binary);
  return error;
}

LoadedModule::~LoadedModule() {
  if (module_ != nullptr && !context_->lost()) context_->calls().module_unload(module_);
}

Result<abi::Function> LoadedModule::function(const std::string& name) const {
  abi::Function function = nullptr;
  FL_TRY_VOID(
      context_->check(context_->calls().module_function(&function, module_, name.c_str()), "looking for the kernel " + name));
  return function;
}

std::optional<abi::DevicePointer> LoadedModule::wrong_index() const {
  abi::DevicePointer address = 0;
  std::size_t bytes = 0;
  if (context_->calls().module_global(&address, &bytes, module_, "fuselab_wrong_index") != abi::kSuccess) return std::nullopt;
  return bytes == sizeof(std::int64_t[3]) ? std::optional(address) : std::nullopt;
}

Status launch(DeviceContext& context, abi::Function function, const LaunchShape& shape, std::vector<void*> arguments) {
  return context.check(context.calls().launch(function, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0], shape.block[1],
                                              shape.block[2], shape.dynamic_shared, context.stream(), arguments.data(), nullptr),
                       "launching a kernel");
}

Result<LaunchShape> shape_of(const Vendor& vendor, const CompiledKernel& kernel, const DeviceInfo& device) {
  FL_TRY(const BinaryKernel read, read_matching(vendor, kernel, kernel.abi.entry));
  std::map<std::string, std::int64_t> dims;
  if (device.compute_units) dims["multiprocessors"] = *device.compute_units;
  LaunchShape shape;
  const DimFormula* const grid[] = {&kernel.abi.grid_x, &kernel.abi.grid_y, &kernel.abi.grid_z};
  const DimFormula* const block[] = {&kernel.abi.block_x, &kernel.abi.block_y, &kernel.abi.block_z};
  for (int axis = 0; axis < 3; ++axis) {
    FL_TRY(shape.grid[axis], dimension(*grid[axis], dims, "the grid"));
    FL_TRY(shape.block[axis], dimension(*block[axis], dims, "the block"));
  }
  FL_TRY(const std::int64_t shared, kernel.abi.shared_bytes.evaluate(dims));
  // The launch asks for the shared memory that is not declared statically.
  const LaunchDemand demand = demand_of(read, shape.threads(), std::max<std::int64_t>(0, shared - read.shared_bytes));
  FL_TRY_VOID(would_launch(demand, device));
  shape.dynamic_shared = static_cast<unsigned>(demand.dynamic_shared_bytes);
  return shape;
}

Result<std::optional<Follower>> follower_of(const Vendor& vendor, const CompiledKernel& kernel, const DeviceInfo& device) {
  const std::string entry = kernel.abi.entry + "_fold";
  if (const auto there = vendor.read_binary(kernel.binary.data, entry); !there.ok()) {
    if (there.error().code == ErrorCode::kNotFound) return std::optional<Follower>();
    return there.error();
  }
  FL_TRY(const BinaryKernel read, read_matching(vendor, kernel, entry));
  if (!read.max_threads)
    return Error{ErrorCode::kCorrupt,
                 "the " + std::string(vendor.binary_format) + " does not say how many threads " + entry + " takes"};
  FL_TRY_VOID(would_launch(demand_of(read, *read.max_threads, 0), device));
  Follower follower{entry, {}};
  follower.shape.block[0] = static_cast<unsigned>(*read.max_threads);
  return std::optional(follower);
}

}  // namespace fuselab::gpu::stream
