// SPDX-License-Identifier: Apache-2.0
// A library that looks like NVML: one GPU, the first of the fake driver's. $FUSELAB_FAKE_NVML: "init=9" (does not start),
// "reasons=64" (throttled), "reasons-code=15" (does not
// tell), "no-power", "hang" (readings never end), "throttled-once=FILE" (of the processes that find FILE, the first is throttled).
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "backends/sensors/abi/nvml_abi.h"
#include "tests/support/fake_cuda/behaviour.h"

using namespace fuselab::sensors::abi;

namespace {

constexpr NvmlCode kNvmlNotFound = 6;
constexpr const char* kUuid = "GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf";

fuselab::fake_cuda::Behaviour asked() {
  return fuselab::fake_cuda::Behaviour::of("FUSELAB_FAKE_NVML");
}
NvmlDevice only_device() {
  static int device;
  return reinterpret_cast<NvmlDevice>(&device);
}

}  // namespace

FAKE_EXPORT NvmlCode nvmlInit_v2() {
  return static_cast<NvmlCode>(asked().number("init").value_or(kNvmlSuccess));
}
FAKE_EXPORT const char* nvmlErrorString(NvmlCode code) {
  return code == kNvmlNotFound ? "Not Found" : code == 9 ? "Driver Not Loaded" : code == 15 ? "GPU is lost" : nullptr;
}
FAKE_EXPORT NvmlCode nvmlSystemGetDriverVersion(char* version, unsigned length) {
  std::snprintf(version, length, "550.54.15");
  return kNvmlSuccess;
}
FAKE_EXPORT NvmlCode nvmlDeviceGetHandleByUUID(const char* uuid, NvmlDevice* device) {
  *device = only_device();
  return std::strcmp(uuid, kUuid) == 0 ? kNvmlSuccess : kNvmlNotFound;
}
FAKE_EXPORT NvmlCode nvmlDeviceGetClockInfo(NvmlDevice, int kind, unsigned* mhz) {
  *mhz = kind == kNvmlClockSm ? 1980 : 3201;
  return kNvmlSuccess;
}
FAKE_EXPORT NvmlCode nvmlDeviceGetTemperature(NvmlDevice, int, unsigned* celsius) {
  *celsius = 47;
  return kNvmlSuccess;
}
FAKE_EXPORT NvmlCode nvmlDeviceGetPowerUsage(NvmlDevice, unsigned* milliwatts) {
  *milliwatts = 312'500;
  return asked().has("no-power") ? kNvmlNotSupported : kNvmlSuccess;
}
// As libraries before driver 535 call it, and as those since.
#ifdef FAKE_NVML_OF_BEFORE
#define CURRENT_REASONS nvmlDeviceGetCurrentClocksThrottleReasons
#else
#define CURRENT_REASONS nvmlDeviceGetCurrentClocksEventReasons
#endif
FAKE_EXPORT NvmlCode CURRENT_REASONS(NvmlDevice, unsigned long long* reasons) {
  if (asked().has("hang")) std::this_thread::sleep_for(std::chrono::hours(1));
  static const bool chosen = asked().text("throttled-once") && std::remove(asked().text("throttled-once")->c_str()) == 0;
  if (chosen) {
    *reasons = 64;
    return kNvmlSuccess;
  }
  *reasons = static_cast<unsigned long long>(asked().number("reasons").value_or(0));
  return static_cast<NvmlCode>(asked().number("reasons-code").value_or(kNvmlSuccess));
}
