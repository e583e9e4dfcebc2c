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

class Attributes {
 public:
  Attributes(const CudaDriver& driver, Device device) : driver_(driver), device_(device) {}
  std::optional<std::int64_t> operator()(int attribute) const {
    int value = 0;
    if (driver_.calls().device_attribute(&value, attribute, device_) != kSuccess) return std::nullopt;
    return value;
  }

 private:
  const CudaDriver& driver_;
  Device device_;
};

struct Limit {
  const char* name;
  int attribute;
};
constexpr Limit kLimits[] = {{"max_threads", kMaxThreadsPerBlock},
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

std::string megahertz(std::int64_t kilohertz) {
  return std::to_string(kilohertz / 1000) + " MHz";
}

void add_properties(const Attributes& attribute, DeviceInfo& info) {
  const auto add = [&](const char* name, int which, auto&& text) {
    if (const auto value = attribute(which)) info.properties[name] = text(*value);
  };
  const auto number = [](std::int64_t value) { return std::to_string(value); };
  const auto bytes = [](std::int64_t value) { return format_bytes({value}); };
  const auto yes_no = [](std::int64_t value) { return std::string(value != 0 ? "yes" : "no"); };
  add("clock", kClockRate, megahertz);
  add("memory_clock", kMemoryClockRate, megahertz);
  add("memory_bus_bits", kMemoryBusWidth, number);
  add("l2", kL2CacheSize, bytes);
  add("warp_size", kWarpSize, number);
  add("registers_per_block", kMaxRegistersPerBlock, number);
  add("shared_per_block", kMaxSharedPerBlock, bytes);
  add("shared_per_block_optin", kMaxSharedPerBlockOptin, bytes);
  add("shared_per_multiprocessor", kMaxSharedPerMultiprocessor, bytes);
  add("threads_per_multiprocessor", kMaxThreadsPerMultiprocessor, number);
  add("ecc", kEccEnabled, yes_no);
  add("kernels_are_timed_out", kKernelExecTimeout, yes_no);
  const auto domain = attribute(kPciDomainId), bus = attribute(kPciBusId), slot = attribute(kPciDeviceId);
  if (domain && bus && slot) {
    char text[32];
    std::snprintf(text, sizeof text, "%04x:%02x:%02x.0", static_cast<unsigned>(*domain), static_cast<unsigned>(*bus),
                  static_cast<unsigned>(*slot));
    info.properties["pci"] = text;
  }
}

Result<DeviceInfo> describe(const CudaDriver& driver, int ordinal) {
  const auto& calls = driver.calls();
  const std::string id = "cuda:" + std::to_string(ordinal);
  Device device = 0;
  FL_TRY_VOID(driver.check(calls.device_get(&device, ordinal), "it does not answer (cuDeviceGet)"));
  const Attributes attribute(driver, device);
  const auto major = attribute(kComputeCapabilityMajor), minor = attribute(kComputeCapabilityMinor);
  if (!major || !minor) return Error{ErrorCode::kUnavailable, "it does not tell its compute capability"};

  DeviceInfo info;
  info.id = id;
  info.backend = "cuda";
  info.type = "gpu";
  info.index = ordinal;
  char name[256] = {};
  info.name = calls.device_name(name, sizeof name, device) == kSuccess && name[0] != '\0' ? name : "NVIDIA GPU";
  info.unified_memory = attribute(kIntegrated).value_or(0) != 0;
  std::size_t memory = 0;
  if (calls.device_total_memory(&memory, device) == kSuccess) info.total_memory_bytes = static_cast<std::int64_t>(memory);
  info.compute_units = attribute(kMultiprocessorCount);
  info.compute_capability = std::to_string(*major) + "." + std::to_string(*minor);
  info.driver_version = driver.version();
  add_properties(attribute, info);
  info.attributes = device_attributes(driver, device);
  info.target = named_target(own_target(static_cast<int>(10 * *major + *minor)));
  for (const Limit& limit : kLimits) {
    if (const auto value = attribute(limit.attribute)) info.target.limits[limit.name] = *value;
  }
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

std::string FoundDevices::note() const {
  std::string text;
  for (const auto& [id, why] : left_out) text.append(text.empty() ? "" : "; ").append(id).append(" is left out: ").append(why);
  return text;
}

Target named_target(const std::string& id) {
  const auto documented = virtual_target(id);
  return documented.ok() && documented.value().backend == "cuda" ? documented.value().target : Target{id, "cuda", {}};
}

Result<FoundDevices> describe_devices(const CudaDriver& driver) {
  int count = 0;
  FL_TRY_VOID(driver.check(driver.calls().device_count(&count), "counting CUDA devices (cuDeviceGetCount)"));
  FoundDevices found;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    auto info = describe(driver, ordinal);
    if (info.ok()) {
      found.devices.push_back(std::move(info).value());
    } else {
      found.left_out["cuda:" + std::to_string(ordinal)] = info.error().message;
    }
  }
  return found;
}

}  // namespace fuselab::cuda
