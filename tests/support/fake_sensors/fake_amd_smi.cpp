// SPDX-License-Identifier: Apache-2.0
// A library that looks like AMD SMI: one GPU, at 0000:c3:00.0. $FUSELAB_FAKE_AMD_SMI: "init=34" (does not start), "version=27",
// "status=4294967296" (throttled: the bits that are numbered alike for all chips), "no-status", "cycles=17" (counts slowed cycles,
// so many of them for package power; "hot-cycles=3" for the sockets' heat), "metrics-code=2" (does not tell), "few" (no power, no
// hotspot, no clock of its own), "hang" (readings never end). The layout is of the library that it says it is.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "backends/sensors/abi/amd_smi_abi.h"
#include "tests/support/fake_cuda/behaviour.h"

using namespace fuselab::sensors::abi;

namespace {

constexpr AmdSmiCode kInvalid = 1, kNotFound = 31, kDriverNotLoaded = 34;
// How much of the metrics libraries write: to the end of what ROCm 6.1 had, and with the counts.
constexpr std::size_t kWrittenBefore = 424, kWrittenSince = 472;

fuselab::fake_cuda::Behaviour asked() {
  return fuselab::fake_cuda::Behaviour::of("FUSELAB_FAKE_AMD_SMI");
}
std::uint32_t version() {
  return static_cast<std::uint32_t>(asked().number("version").value_or(26));
}
AmdSmiDevice only_device() {
  static int device;
  return &device;
}

}  // namespace

FAKE_EXPORT AmdSmiCode amdsmi_init(std::uint64_t what) {
  if (what != kAmdSmiGpus) return kInvalid;
  return static_cast<AmdSmiCode>(asked().number("init").value_or(kAmdSmiSuccess));
}
FAKE_EXPORT AmdSmiCode amdsmi_get_lib_version(AmdSmiVersion* told) {
  told->first = version();
  told->second = version() < 26 ? 6 : 1;
  return kAmdSmiSuccess;
}
FAKE_EXPORT AmdSmiCode amdsmi_status_code_to_string(AmdSmiCode code, const char** text) {
  *text = code == kNotFound          ? "AMDSMI_STATUS_NOT_FOUND: Device not found"
          : code == kDriverNotLoaded ? "AMDSMI_STATUS_DRIVER_NOT_LOADED: Driver not loaded"
                                     : nullptr;
  return *text == nullptr ? kInvalid : kAmdSmiSuccess;
}
FAKE_EXPORT AmdSmiCode amdsmi_get_processor_handle_from_bdf(std::uint64_t place, AmdSmiDevice* device) {
  *device = only_device();
  return place == 0xc300 ? kAmdSmiSuccess : kNotFound;
}
FAKE_EXPORT AmdSmiCode amdsmi_get_gpu_driver_info(AmdSmiDevice, AmdSmiDriver* driver) {
  std::snprintf(driver->version, 64, "6.10.5");
  return kAmdSmiSuccess;
}
FAKE_EXPORT AmdSmiCode amdsmi_get_gpu_metrics_info(AmdSmiDevice, AmdGpuMetrics* told) {
  const auto behaviour = asked();
  if (behaviour.has("hang")) std::this_thread::sleep_for(std::chrono::hours(1));
  AmdGpuMetrics metrics;
  std::memset(&metrics, 0xff, sizeof metrics);  // as the library does before it fills in what the device has
  const bool few = behaviour.has("few");
  metrics.edge_celsius = 51;
  metrics.memory_mhz = 1300;
  metrics.average_watts = 407;
  if (!few) {
    metrics.hotspot_celsius = 64;
    metrics.core_mhz = 2104;
    metrics.watts = 512;
  }
  metrics.core_mhz_of[0] = 1999;
  if (!behaviour.has("no-status")) metrics.throttle_status = static_cast<std::uint64_t>(behaviour.number("status").value_or(0));
  if (behaviour.has("cycles")) {
    metrics.cycles = 1000;
    metrics.package_power_cycles = static_cast<std::uint64_t>(*behaviour.number("cycles"));
    metrics.socket_heat_cycles = static_cast<std::uint64_t>(behaviour.number("hot-cycles").value_or(0));
    metrics.processor_hot_cycles = metrics.regulator_heat_cycles = 0;
  }
  std::memcpy(told, &metrics, version() < 26 ? kWrittenBefore : kWrittenSince);
  return static_cast<AmdSmiCode>(behaviour.number("metrics-code").value_or(kAmdSmiSuccess));
}
