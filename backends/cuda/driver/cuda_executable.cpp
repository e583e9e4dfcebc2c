// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/driver/cuda_executable.h"

#include <algorithm>
#include <limits>

#include "backends/cuda/driver/cubin_reader.h"
#include "core/kernel/launch_prediction.h"

namespace fuselab::cuda {
namespace {

// The vendor's code for "newer compiler than driver" differs from driver to driver; the versions say it.
std::string advice(const CudaDriver& driver, const KernelBinary& binary) {
  const auto version = binary.metadata.find("version");
  if (version == binary.metadata.end()) return "";
  if (std::atoi(version->second.c_str()) <= driver.version_number() / 1000) return "";
  return " (made by nvrtc " + version->second + ", newer than the driver's CUDA " + driver.version() +
         ": update the driver, or point FUSELAB_LIB_NVRTC to an older libnvrtc)";
}

Result<unsigned> dimension(const DimFormula& formula, const std::map<std::string, std::int64_t>& dims, const char* name) {
  FL_TRY(const std::int64_t value, formula.evaluate(dims));
  if (value < 1 || value > std::numeric_limits<int>::max()) {
    return Error{ErrorCode::kUnsupported, std::string(name) + " would be " + std::to_string(value)};
  }
  return static_cast<unsigned>(value);
}

Result<CubinKernel> read_matching(const CompiledKernel& kernel, const std::string& entry) {
  FL_TRY(const CubinKernel cubin, read_cubin(kernel.binary.data, entry));
  if (cubin.parameters == static_cast<std::int64_t>(kernel.abi.arguments.size())) return cubin;
  return Error{ErrorCode::kCorrupt, "the cubin's kernel takes " + std::to_string(cubin.parameters) +
                                        " arguments, its record says " + std::to_string(kernel.abi.arguments.size())};
}

// Returns what a kernel asks for, as its cubin says.
LaunchDemand demand_of(const CubinKernel& cubin, std::int64_t threads, std::int64_t dynamic_shared_bytes) {
  LaunchDemand demand;
  demand.threads = threads;
  demand.dynamic_shared_bytes = dynamic_shared_bytes;
  demand.resources["shared_bytes"] = cubin.shared_bytes;
  if (cubin.registers) demand.resources["registers"] = *cubin.registers;
  if (cubin.max_threads) demand.resources["max_threads"] = *cubin.max_threads;
  return demand;
}

Status would_launch(const LaunchDemand& demand, const DeviceInfo& device) {
  const LaunchPrediction prediction = predict_launch(demand, device.target);
  if (prediction.launches.yes) return {};
  return Error{ErrorCode::kUnsupported, "it would not launch: " + prediction.launches.why_not};
}

}  // namespace

Result<LoadedCubin> LoadedCubin::load(CudaContext& context, const KernelBinary& binary) {
  LoadedCubin cubin(context);
  std::string words(4096, '\0');
  int names[] = {abi::kJitErrorLogBuffer, abi::kJitErrorLogBufferBytes};
  void* values[] = {words.data(), reinterpret_cast<void*>(words.size())};
  const abi::Code code = context.calls().module_load(&cubin.module_, binary.data.data(), 2, names, values);
  const Status loaded = context.check(code, "loading a kernel");
  if (loaded.ok()) return cubin;
  words.resize(std::min(words.size(), std::string(words.c_str()).size()));
  std::replace(words.begin(), words.end(), '\n', ' ');
  Error error = loaded.error();
  error.message += (words.empty() ? "" : ": " + words) + advice(context.driver(), binary);
  return error;
}

LoadedCubin::~LoadedCubin() {
  if (module_ != nullptr && !context_->lost()) context_->calls().module_unload(module_);
}

Result<abi::Function> LoadedCubin::function(const std::string& name) const {
  abi::Function function = nullptr;
  FL_TRY_VOID(
      context_->check(context_->calls().module_function(&function, module_, name.c_str()), "looking for the kernel " + name));
  return function;
}

std::optional<abi::DevicePointer> LoadedCubin::wrong_index() const {
  abi::DevicePointer address = 0;
  std::size_t bytes = 0;
  if (context_->calls().module_global(&address, &bytes, module_, "fuselab_wrong_index") != abi::kSuccess) return std::nullopt;
  return bytes == sizeof(std::int64_t[3]) ? std::optional(address) : std::nullopt;
}

Status launch(CudaContext& context, abi::Function function, const LaunchShape& shape, std::vector<void*> arguments) {
  return context.check(context.calls().launch(function, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0], shape.block[1],
                                              shape.block[2], shape.dynamic_shared, context.stream(), arguments.data(), nullptr),
                       "launching a kernel");
}

Result<LaunchShape> shape_of(const CompiledKernel& kernel, const DeviceInfo& device) {
  FL_TRY(const CubinKernel cubin, read_matching(kernel, kernel.abi.entry));
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
  const LaunchDemand demand = demand_of(cubin, shape.threads(), std::max<std::int64_t>(0, shared - cubin.shared_bytes));
  FL_TRY_VOID(would_launch(demand, device));
  shape.dynamic_shared = static_cast<unsigned>(demand.dynamic_shared_bytes);
  return shape;
}

Result<std::optional<Follower>> follower_of(const CompiledKernel& kernel, const DeviceInfo& device) {
  const std::string entry = kernel.abi.entry + "_fold";
  if (const auto there = read_cubin(kernel.binary.data, entry); !there.ok()) {
    if (there.error().code == ErrorCode::kNotFound) return std::optional<Follower>();
    return there.error();
  }
  FL_TRY(const CubinKernel cubin, read_matching(kernel, entry));
  if (!cubin.max_threads) return Error{ErrorCode::kCorrupt, "the cubin does not say how many threads " + entry + " takes"};
  FL_TRY_VOID(would_launch(demand_of(cubin, *cubin.max_threads, 0), device));
  Follower follower{entry, {}};
  follower.shape.block[0] = static_cast<unsigned>(*cubin.max_threads);
  return std::optional(follower);
}

}  // namespace fuselab::cuda
