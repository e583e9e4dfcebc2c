// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/driver/cuda_device.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <optional>
#include <span>

#include "backends/cuda/driver/cuda_targets.h"
#include "backends/cuda/driver/device_attributes.h"
#include "backends/sensors/device_sensors.h"
#include "core/backend/device_uuid.h"
#include "core/base/content_hash.h"
#include "core/kernel/virtual_target.h"
#include "core/platform/machine/counter_permission.h"

namespace fuselab::cuda {
namespace {

using namespace abi;

using gpu::stream::FactForm;

constexpr gpu::stream::Limit kLimits[] = {{"max_threads", kMaxThreadsPerBlock},
                                          {"warp", kWarpSize},
                                          {"shared_bytes", kMaxSharedPerBlock},
                                          {"shared_optin_bytes", kMaxSharedPerBlockOptin},
                                          {"registers_per_block", kMaxRegistersPerBlock},
                                          {"multiprocessors", kMultiprocessorCount},
                                          {"max_threads_per_sm", kMaxThreadsPerMultiprocessor},
                                          {"max_blocks_per_sm", kMaxBlocksPerMultiprocessor},
                                          {"registers_per_sm", kMaxRegistersPerMultiprocessor},
                                          {"shared_per_sm_bytes", kMaxSharedPerMultiprocessor},
                                          {"shared_reserved_bytes", kReservedSharedPerBlock},
                                          {"l2_bytes", kL2CacheSize}};

// Tegra's: 101 is what CUDA 12 calls 110.
bool is_embedded(int capability) {
  constexpr int kEmbedded[] = {72, 87, 101, 110};
  return std::find(std::begin(kEmbedded), std::end(kEmbedded), capability) != std::end(kEmbedded);
}

// Every NVRTC that we take makes code of sm_90a, which has the instructions of sm_90 and more.
std::string own_target(int capability) {
  return "sm_" + std::to_string(capability) + (capability == 90 ? "a" : "");
}

constexpr gpu::stream::Fact kFacts[] = {{"clock", kClockRate, FactForm::kKilohertz},
                                        {"memory_clock", kMemoryClockRate, FactForm::kKilohertz},
                                        {"memory_bus_bits", kMemoryBusWidth, FactForm::kNumber},
                                        {"l2", kL2CacheSize, FactForm::kBytes},
                                        {"warp_size", kWarpSize, FactForm::kNumber},
                                        {"registers_per_block", kMaxRegistersPerBlock, FactForm::kNumber},
                                        {"shared_per_block", kMaxSharedPerBlock, FactForm::kBytes},
                                        {"shared_per_block_optin", kMaxSharedPerBlockOptin, FactForm::kBytes},
                                        {"shared_per_multiprocessor", kMaxSharedPerMultiprocessor, FactForm::kBytes},
                                        {"threads_per_multiprocessor", kMaxThreadsPerMultiprocessor, FactForm::kNumber},
                                        {"ecc", kEccEnabled, FactForm::kYesNo},
                                        {"kernels_are_timed_out", kKernelExecTimeout, FactForm::kYesNo}};

// "0000:c3:00.0"
void add_place(const std::function<std::optional<std::int64_t>(int)>& attribute, DeviceInfo& info) {
  const auto domain = attribute(kPciDomainId), bus = attribute(kPciBusId), slot = attribute(kPciDeviceId);
  if (!domain || !bus || !slot) return;
  char text[32];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.0", static_cast<unsigned>(*domain), static_cast<unsigned>(*bus),
                static_cast<unsigned>(*slot));
  info.properties["pci"] = text;
}

Result<DeviceInfo> describe(const CudaDriver& driver, int ordinal) {
  const auto& calls = driver.calls();
  Device device = 0;
  FL_TRY_VOID(driver.check(calls.device_get(&device, ordinal), "it does not answer (cuDeviceGet)"));
  const auto attribute = [&](int which) { return gpu::stream::attribute_of(driver, device, which); };
  const auto major = attribute(kComputeCapabilityMajor), minor = attribute(kComputeCapabilityMinor);
  if (!major || !minor) return Error{ErrorCode::kUnavailable, "it does not tell its compute capability"};

  DeviceInfo info = gpu::stream::basic_facts(driver, device, ordinal, "NVIDIA GPU");
  info.unified_memory = attribute(kIntegrated).value_or(0) != 0;
  info.compute_units = attribute(kMultiprocessorCount);
  info.compute_capability = std::to_string(*major) + "." + std::to_string(*minor);
  info.driver_version = driver.version();
  gpu::stream::add_facts(driver, device, kFacts, info);
  add_place(attribute, info);
  info.attributes = device_attributes(driver, device);
  info.target = named_target(own_target(static_cast<int>(10 * *major + *minor)));
  gpu::stream::set_limits(driver, device, kLimits, info.target);
  info.other_targets = lower_targets(info.target, static_cast<int>(*major), static_cast<int>(*minor));
  IdentityHasher identity("cuda");
  identity.add("name", info.name);
  Uuid uuid{};
  if (calls.device_uuid(&uuid, device) == kSuccess) {
    info.properties["uuid"] = device_uuid_text(std::as_bytes(std::span(uuid.bytes)));
    identity.add("uuid", info.properties["uuid"]);
    info.properties["sensors"] = sensors::sensors_text(info);
  }
  info.properties["counters"] = platform::nvidia_counter_permission().text();
  info.uuid = identity.finish().hex();
  return info;
}

}  // namespace

std::vector<Target> lower_targets(const Target& own, int major, int minor) {
  std::vector<Target> lower;
  if (is_embedded(10 * major + minor)) return lower;
  for (int capability = 10 * major + minor; capability >= 10 * major; --capability) {
    const std::string id = "sm_" + std::to_string(capability);
    const auto& listed = cuda_targets();
    if (is_embedded(capability) || id == own.id) continue;
    if (std::none_of(listed.begin(), listed.end(), [&](const Target& target) { return target.id == id; })) continue;
    Target target = own;
    target.id = id;
    lower.push_back(std::move(target));
  }
  return lower;
}

Target named_target(const std::string& id) {
  const auto documented = virtual_target(id);
  return documented.ok() && documented.value().backend == "cuda" ? documented.value().target : Target{id, "cuda", {}};
}

Result<FoundDevices> describe_devices(const CudaDriver& driver) {
  return gpu::stream::find_devices(driver, "counting CUDA devices (cuDeviceGetCount)",
                                   [&](int ordinal) { return describe(driver, ordinal); });
}

}  // namespace fuselab::cuda
