// SPDX-License-Identifier: Apache-2.0
#include "backends/gpu/stream/loaded_module.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/kernel/cuda_features.h"
#include "core/kernel/launch_prediction.h"

namespace fuselab::gpu::stream {
namespace {

constexpr std::int64_t kMostBlocksOfCluster = 8;  // that every device with clusters takes

Result<unsigned> dimension(const DimFormula& formula, const std::map<std::string, std::int64_t>& dims, const char* name) {
  FL_TRY(const std::int64_t value, formula.evaluate(dims));
  if (value < 1 || value > std::numeric_limits<int>::max()) {
    return Error{ErrorCode::kUnsupported, std::string(name) + " would be " + std::to_string(value)};
  }
  return static_cast<unsigned>(value);
}

Result<BinaryKernel> read_matching(const Vendor& vendor, const CompiledKernel& kernel, const std::string& entry) {
  FL_TRY(const BinaryKernel read, vendor.read_binary(kernel.binary.data, entry));
  const KernelAbi& abi = kernel.abi;
  const std::size_t recorded = abi.parameters.empty() ? abi.arguments.size() + abi.maps.size() : abi.parameters.size();
  if (read.parameters == static_cast<std::int64_t>(recorded)) return read;
  return Error{ErrorCode::kCorrupt, "the " + std::string(vendor.binary_format) + "'s kernel takes " +
                                        std::to_string(read.parameters) + " arguments, its record says " +
                                        std::to_string(recorded)};
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

Result<KernelLaunch> launch_of(const Vendor& vendor, const CompiledKernel& kernel, const std::string& entry,
                               const std::array<const DimFormula*, 6>& extents, const DimFormula& shared_bytes,
                               const std::map<std::string, std::int64_t>& dims, const DeviceInfo& device) {
  FL_TRY(const BinaryKernel read, read_matching(vendor, kernel, entry));
  KernelLaunch launch{entry, {}};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    FL_TRY(launch.shape.grid[axis], dimension(*extents[axis], dims, "the grid"));
    FL_TRY(launch.shape.block[axis], dimension(*extents[axis + 3], dims, "the block"));
  }
  FL_TRY(const std::int64_t shared, shared_bytes.evaluate(dims));
  // The launch asks for the shared memory that is not declared statically.
  const LaunchDemand demand = demand_of(read, launch.shape.threads(), std::max<std::int64_t>(0, shared - read.shared_bytes));
  FL_TRY_VOID(would_launch(demand, device));
  launch.shape.dynamic_shared = static_cast<unsigned>(demand.dynamic_shared_bytes);
  return launch;
}

// The second kernel of a module whose record lists none, if it has one.
Result<std::optional<KernelLaunch>> fold_of(const Vendor& vendor, const CompiledKernel& kernel, const DeviceInfo& device) {
  const std::string entry = kernel.abi.entry + "_fold";
  if (const auto there = vendor.read_binary(kernel.binary.data, entry); !there.ok()) {
    if (there.error().code == ErrorCode::kNotFound) return std::optional<KernelLaunch>();
    return there.error();
  }
  FL_TRY(const BinaryKernel read, read_matching(vendor, kernel, entry));
  if (!read.max_threads)
    return Error{ErrorCode::kCorrupt,
                 "the " + std::string(vendor.binary_format) + " does not say how many threads " + entry + " takes"};
  FL_TRY_VOID(would_launch(demand_of(read, *read.max_threads, 0), device));
  KernelLaunch fold{entry, {}};
  fold.shape.block[0] = static_cast<unsigned>(*read.max_threads);
  return std::optional(std::move(fold));
}

Status add_cluster(const Vendor& vendor, const KernelAbi& abi, const DeviceInfo& device, LaunchShape& shape) {
  if (abi.cluster == 1) return {};
  const std::string what = "its blocks run in clusters of " + std::to_string(abi.cluster) + ", ";
  if (vendor.cluster_attribute == 0 || !cuda_features(device.target).copy_engine)
    return Error{ErrorCode::kUnsupported, what + "and " + device.target.id + " has no clusters"};
  if (abi.cluster < 1 || abi.cluster > kMostBlocksOfCluster)
    return Error{ErrorCode::kUnsupported, what + "a cluster has 1 to " + std::to_string(kMostBlocksOfCluster)};
  if (shape.grid[0] % abi.cluster != 0)
    return Error{ErrorCode::kUnsupported, what + "which its " + std::to_string(shape.grid[0]) + " blocks are no multiple of"};
  shape.cluster = static_cast<unsigned>(abi.cluster);
  return {};
}

Status check_maps(const Vendor& vendor, const KernelAbi& abi, const DeviceInfo& device) {
  if (abi.maps.empty()) return {};
  if (vendor.encode_map == nullptr || !cuda_features(device.target).copy_engine)
    return Error{ErrorCode::kUnsupported, "its buffers have maps, and " + device.target.id + " has no copy engine that reads them"};
  for (const TensorMapArgument& map : abi.maps) {
    if (map.buffer < 0 || map.buffer >= static_cast<int>(abi.arguments.size()))
      return Error{ErrorCode::kCorrupt, "a map is of argument " + std::to_string(map.buffer) + ", the kernel has " +
                                            std::to_string(abi.arguments.size())};
    FL_TRY(const Bytes size, size_of(abi.arguments[static_cast<std::size_t>(map.buffer)].type));
    FL_TRY_VOID(check_tensor_map(map, size.count));
  }
  return {};
}

// `cluster` must outlive what is returned.
abi::LaunchWithAttributes in_clusters(DeviceContext& context, const LaunchShape& shape, abi::LaunchAttribute& cluster) {
  cluster.id = context.vendor().cluster_attribute;
  cluster.value[0] = shape.cluster;
  cluster.value[1] = cluster.value[2] = 1;
  return {{shape.grid[0], shape.grid[1], shape.grid[2]},
          {shape.block[0], shape.block[1], shape.block[2]},
          shape.dynamic_shared,
          context.stream(),
          &cluster,
          1};
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

Status launch(DeviceContext& context, abi::Function function, const LaunchShape& shape, std::vector<void*> parameters) {
  if (shape.cluster > 1) {
    abi::LaunchAttribute cluster;
    const abi::LaunchWithAttributes whole = in_clusters(context, shape, cluster);
    return context.check(context.calls().launch_with(&whole, function, parameters.data(), nullptr),
                         "launching a kernel in clusters");
  }
  return context.check(context.calls().launch(function, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0], shape.block[1],
                                              shape.block[2], shape.dynamic_shared, context.stream(), parameters.data(), nullptr),
                       "launching a kernel");
}

Status prepare_launches(DeviceContext& context, abi::Function function, const LaunchShape& shape, const DeviceInfo& device) {
  const auto& calls = context.calls();
  if (shape.dynamic_shared > 0) {
    FL_TRY_VOID(context.check(
        calls.set_function_attribute(function, context.vendor().dynamic_shared, static_cast<int>(shape.dynamic_shared)),
        "asking for " + format_bytes({shape.dynamic_shared}) + " of shared memory"));
  }
  int blocks = 0;
  FL_TRY_VOID(context.check(calls.occupancy(&blocks, function, static_cast<int>(shape.threads()), shape.dynamic_shared),
                            "asking for the kernel's occupancy"));
  if (blocks < 1) return Error{ErrorCode::kUnsupported, "not one block of the kernel fits a multiprocessor of " + device.name};
  if (shape.cluster == 1) return {};
  int clusters = 0;
  abi::LaunchAttribute cluster;
  const abi::LaunchWithAttributes whole = in_clusters(context, shape, cluster);
  FL_TRY_VOID(context.check(calls.occupancy_of_clusters(&clusters, function, &whole), "asking how many clusters fit"));
  if (clusters > 0) return {};
  return Error{ErrorCode::kUnsupported, "not one cluster of " + std::to_string(shape.cluster) + " blocks fits " + device.name};
}

Result<std::vector<KernelLaunch>> launches_of(const Vendor& vendor, const CompiledKernel& kernel, const DeviceInfo& device) {
  std::map<std::string, std::int64_t> dims;
  if (device.compute_units) dims["multiprocessors"] = *device.compute_units;
  const KernelAbi& abi = kernel.abi;
  FL_TRY(KernelLaunch first,
         launch_of(vendor, kernel, abi.entry, {&abi.grid_x, &abi.grid_y, &abi.grid_z, &abi.block_x, &abi.block_y, &abi.block_z},
                   abi.shared_bytes, dims, device));
  FL_TRY_VOID(add_cluster(vendor, abi, device, first.shape));
  FL_TRY_VOID(check_maps(vendor, abi, device));
  std::vector<KernelLaunch> launches = {std::move(first)};
  static const DimFormula one;
  for (const FollowingLaunch& each : abi.after) {
    auto next = launch_of(vendor, kernel, each.entry, {&each.grid_x, &one, &one, &each.block_x, &one, &one}, each.shared_bytes,
                          dims, device);
    if (!next.ok()) return std::move(next).error().within("the kernel " + each.entry + ", which follows");
    launches.push_back(std::move(next).value());
  }
  if (abi.after.empty()) {
    FL_TRY(std::optional<KernelLaunch> fold, fold_of(vendor, kernel, device));
    if (fold) launches.push_back(std::move(*fold));
  }
  return launches;
}

}  // namespace fuselab::gpu::stream
