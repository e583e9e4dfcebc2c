// SPDX-License-Identifier: Apache-2.0
#include "backends/sensors/nvml_monitor.h"

#include <array>
#include <utility>

#include "backends/loading/patience.h"
#include "backends/loading/vendor_library.h"

namespace fuselab::sensors {
namespace {

using namespace abi;

constexpr std::string_view kNvmlSonames[] = {"libnvidia-ml.so.1"};
constexpr std::string_view kNvmlFolders[] = {"/usr/lib/wsl/lib", "/usr/local/nvidia/lib64", "/usr/lib64",
                                             "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"};

constexpr const char* kReasonsSince535 = "nvmlDeviceGetCurrentClocksEventReasons";
constexpr const char* kReasonsBefore535 = "nvmlDeviceGetCurrentClocksThrottleReasons";

template <typename F>
void** nvml_slot(F& function) {
  return reinterpret_cast<void**>(&function);
}

}  // namespace

Result<std::unique_ptr<NvmlMonitor>> NvmlMonitor::open(const std::string& uuid, std::chrono::milliseconds patience) {
  FL_TRY(NvmlMonitor monitor, loading::within<NvmlMonitor>(patience, "NVML", [uuid] { return started(uuid); }));
  monitor.patience_ = patience;
  return std::make_unique<NvmlMonitor>(std::move(monitor));
}

Result<NvmlMonitor> NvmlMonitor::started(const std::string& uuid) {
  const loading::VendorLibrary wanted{"NVML", kNvmlSonames, kNvmlFolders, {}};
  const auto library = loading::open_vendor_library(wanted, loading::real_surroundings(wanted.name));
  if (!library.ok()) return Error{ErrorCode::kUnavailable, "NVML: " + library.error().message};
  NvmlMonitor monitor;
  NvmlFunctions& calls = monitor.calls_;
  // The last one was called …ThrottleReasons before driver 535, and that name is still there, deprecated.
  const bool renamed = library.value().symbol(kReasonsSince535) != nullptr;
  const loading::Symbol symbols[] = {{"nvmlInit_v2", nvml_slot(calls.init)},
                                     {"nvmlErrorString", nvml_slot(calls.error_text)},
                                     {"nvmlSystemGetDriverVersion", nvml_slot(calls.driver_version)},
                                     {"nvmlDeviceGetHandleByUUID", nvml_slot(calls.device_by_uuid)},
                                     {"nvmlDeviceGetClockInfo", nvml_slot(calls.clock)},
                                     {"nvmlDeviceGetTemperature", nvml_slot(calls.temperature)},
                                     {"nvmlDeviceGetPowerUsage", nvml_slot(calls.power)},
                                     {renamed ? kReasonsSince535 : kReasonsBefore535, nvml_slot(calls.throttle)}};
  FL_TRY_VOID(loading::resolve(library.value(), symbols));
  if (const NvmlCode code = calls.init(); code != kNvmlSuccess) return monitor.failure("NVML does not start (nvmlInit", code);
  std::array<char, kNvmlVersionLength> version{};
  if (calls.driver_version(version.data(), kNvmlVersionLength) == kNvmlSuccess) monitor.driver_version_ = version.data();
  const NvmlCode code = calls.device_by_uuid(uuid.c_str(), &monitor.device_);
  if (code != kNvmlSuccess) return monitor.failure("NVML does not know " + uuid + " (nvmlDeviceGetHandleByUUID", code);
  return monitor;
}

Error NvmlMonitor::failure(const std::string& what, NvmlCode code) const {
  const char* const text = calls_.error_text(code);
  return {ErrorCode::kUnavailable, what + ": " + (text == nullptr ? "error " + std::to_string(code) : std::string(text)) + ")"};
}

Result<DeviceState> NvmlMonitor::state() {
  return loading::within<DeviceState>(patience_, "NVML", [mine = *this] { return mine.read(); });
}

Result<DeviceState> NvmlMonitor::read() const {
  unsigned long long reasons = 0;
  const NvmlCode code = calls_.throttle(device_, &reasons);
  if (code != kNvmlSuccess) return failure("NVML does not tell why clocks are low (nvmlDeviceGetCurrentClocksEventReasons", code);
  DeviceState state;
  state.throttle = reasons;
  unsigned value = 0;
  if (calls_.clock(device_, kNvmlClockSm, &value) == kNvmlSuccess) state.core_mhz = value;
  if (calls_.clock(device_, kNvmlClockMemory, &value) == kNvmlSuccess) state.memory_mhz = value;
  if (calls_.temperature(device_, kNvmlTemperatureGpu, &value) == kNvmlSuccess) state.celsius = value;
  if (calls_.power(device_, &value) == kNvmlSuccess) state.watts = value * 1e-3;
  return state;
}

}  // namespace fuselab::sensors
