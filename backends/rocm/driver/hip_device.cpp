// SPDX-License-Identifier: Apache-2.0
#include "backends/rocm/driver/hip_device.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "backends/sensors/device_sensors.h"
#include "core/base/content_hash.h"
#include "core/kernel/virtual_target.h"

namespace fuselab::hip {
namespace {

using namespace abi;
using gpu::stream::FactForm;

// What a device says of itself, above the documents.
constexpr gpu::stream::Limit kLimits[] = {{"max_threads", kMaxThreadsPerBlock},
                                          {"warp", kWarpSize},
                                          {"shared_bytes", kMaxSharedPerBlock},
                                          {"multiprocessors", kMultiprocessorCount},
                                          {"l2_bytes", kL2CacheSize}};
// What it says where there is no document. RDNA's runtime counts work-group processors and tells the memory of one of their halves.
constexpr gpu::stream::Limit kUndocumented[] = {{"shared_per_sm_bytes", kMaxSharedPerMultiprocessor},
                                                {"max_threads_per_sm", kMaxThreadsPerMultiprocessor}};

constexpr gpu::stream::Fact kFacts[] = {{"clock", kClockRate, FactForm::kKilohertz},
                                        {"memory_clock", kMemoryClockRate, FactForm::kKilohertz},
                                        {"memory_bus_bits", kMemoryBusWidth, FactForm::kNumber},
                                        {"l2", kL2CacheSize, FactForm::kBytes},
                                        {"warp_size", kWarpSize, FactForm::kNumber},
                                        {"shared_per_block", kMaxSharedPerBlock, FactForm::kBytes},
                                        {"threads_per_multiprocessor", kMaxThreadsPerMultiprocessor, FactForm::kNumber},
                                        {"ecc", kEccEnabled, FactForm::kYesNo},
                                        {"kernels_are_timed_out", kKernelExecTimeout, FactForm::kYesNo}};

// "gfx942:sramecc+:xnack-"; empty where it does not stand where it should.
std::string architecture(const HipDriver& driver, int ordinal) {
  constexpr std::size_t kLength = 256;
  std::array<char, 16384> properties{};  // ten times of what any version has, for it fills its own
  const Code code = driver.own_calls().properties(properties.data(), ordinal);
  const char* const name = properties.data() + (driver.version_number() < kHip6 ? kArchNameBefore6 : kArchNameSince6);
  const std::string text(name, strnlen(name, kLength));
  return code == kSuccess && text.starts_with("gfx") ? text : "";
}

// "0000:c3:00.0"
std::string place(const HipDriver& driver, int ordinal) {
  char text[64] = {};
  return driver.own_calls().device_place(text, sizeof text, ordinal) == kSuccess ? text : "";
}

// "GPU-9a2f3c04d1e5b867", as rocminfo shows it: AMD gives sixteen hexadecimal digits, and something else to devices without a
// number.
std::string uuid(const HipDriver& driver, Device device) {
  Uuid given{};
  if (driver.calls().device_uuid(&given, device) != kSuccess) return "";
  const std::string digits(given.bytes, sizeof given.bytes);
  return digits.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos ? "GPU-" + digits : "";
}

Result<DeviceInfo> describe(const HipDriver& driver, int ordinal) {
  Device device = 0;
  FL_TRY_VOID(driver.check(driver.calls().device_get(&device, ordinal), "it does not answer (hipDeviceGet)"));
  const std::string whole = architecture(driver, ordinal);
  if (whole.empty()) return Error{ErrorCode::kUnavailable, "it does not tell its architecture (hipGetDeviceProperties)"};
  const std::size_t colon = std::min(whole.find(':'), whole.size());

  DeviceInfo info = gpu::stream::basic_facts(driver, device, ordinal, "AMD GPU");
  info.unified_memory = gpu::stream::attribute_of(driver, device, kIntegrated).value_or(0) != 0;
  info.compute_units = gpu::stream::attribute_of(driver, device, kMultiprocessorCount);
  info.driver_version = driver.version();
  info.target = named_target(whole.substr(0, colon));
  gpu::stream::set_limits(driver, device, kLimits, info.target);
  Target reported;
  gpu::stream::set_limits(driver, device, kUndocumented, reported);
  info.target.limits.merge(reported.limits);

  gpu::stream::add_facts(driver, device, kFacts, info);
  info.properties["vendor"] = "AMD";
  const auto add = [&](const char* name, std::string text) {
    if (!text.empty()) info.properties[name] = std::move(text);
  };
  add("features", colon < whole.size() ? whole.substr(colon + 1) : "");
  add("pci", place(driver, ordinal));
  add("uuid", uuid(driver, device));
  info.properties["sensors"] = sensors::sensors_text(info);

  IdentityHasher identity("rocm");
  identity.add("name", info.name);
  for (const char* const each : {"uuid", "pci"}) {  // the place tells two devices apart that have no number
    if (info.properties.contains(each)) {
      identity.add(each, info.properties[each]);
      break;
    }
  }
  info.uuid = identity.finish().hex();
  return info;
}

}  // namespace

Result<gpu::stream::FoundDevices> describe_devices(const HipDriver& driver) {
  return gpu::stream::find_devices(driver, "counting AMD's GPUs (hipGetDeviceCount)",
                                   [&](int ordinal) { return describe(driver, ordinal); });
}

Target named_target(const std::string& id) {
  const auto documented = virtual_target(id);
  return documented.ok() && documented.value().target.arch == "hip" ? documented.value().target : Target{id, "hip", {}};
}

}  // namespace fuselab::hip
