// SPDX-License-Identifier: Apache-2.0
#include "backends/sensors/amd_smi_monitor.h"

#include <cstdio>
#include <cstring>
#include <utility>

#include "backends/loading/patience.h"
#include "backends/loading/vendor_library.h"

namespace fuselab::sensors {
namespace {

using namespace abi;

constexpr std::string_view kAmdSmiSonames[] = {"libamd_smi.so.26", "libamd_smi.so.25", "libamd_smi.so.24"};
constexpr std::string_view kAmdSmiFolders[] = {"/opt/rocm/lib", "/usr/lib64", "/usr/lib/x86_64-linux-gnu"};

// The first number that a library says of itself: the year where it still has one.
constexpr std::uint32_t kOldestKnown = 23, kNewestKnown = 26, kFirstWithCycles = 26;

template <typename F>
void** amd_slot(F& function) {
  return reinterpret_cast<void**>(&function);
}

// "0000:c3:00.0"
std::optional<std::uint64_t> place_of(const std::string& pci) {
  unsigned domain = 0, bus = 0, device = 0, function = 0;
  int read = 0;
  // NOLINTNEXTLINE(cert-err34-c): four hexadecimal numbers of a fixed width, and nothing after them
  if (std::sscanf(pci.c_str(), "%8x:%2x:%2x.%1x%n", &domain, &bus, &device, &function, &read) != 4) return std::nullopt;
  if (static_cast<std::size_t>(read) != pci.size()) return std::nullopt;
  return amd_smi_place(domain, bus, device, function);
}

double known(std::uint16_t value) {
  return value == kAmdSmiNone16 ? 0 : value;
}
double known(std::uint16_t value, std::uint16_t otherwise) {
  return known(value != kAmdSmiNone16 ? value : otherwise);
}

}  // namespace

Result<std::unique_ptr<AmdSmiMonitor>> AmdSmiMonitor::open(const std::string& pci, std::chrono::milliseconds patience) {
  const std::optional<std::uint64_t> place = place_of(pci);
  if (!place) return Error{ErrorCode::kUnavailable, "AMD SMI: '" + pci + "' is no place on the PCI bus"};
  FL_TRY(AmdSmiMonitor monitor,
         loading::within<AmdSmiMonitor>(patience, "AMD SMI", [pci, at = *place] { return started(pci, at); }));
  monitor.patience_ = patience;
  return std::make_unique<AmdSmiMonitor>(std::move(monitor));
}

Result<AmdSmiMonitor> AmdSmiMonitor::started(const std::string& pci, std::uint64_t place) {
  const loading::VendorLibrary wanted{"AMD_SMI", kAmdSmiSonames, kAmdSmiFolders, {}};
  const auto library = loading::open_vendor_library(wanted, loading::real_surroundings(wanted.name));
  if (!library.ok()) return Error{ErrorCode::kUnavailable, "AMD SMI: " + library.error().message};
  AmdSmiMonitor monitor;
  AmdSmiFunctions& calls = monitor.calls_;
  const loading::Symbol symbols[] = {{"amdsmi_init", amd_slot(calls.init)},
                                     {"amdsmi_get_lib_version", amd_slot(calls.version)},
                                     {"amdsmi_status_code_to_string", amd_slot(calls.error_text)},
                                     {"amdsmi_get_processor_handle_from_bdf", amd_slot(calls.device_by_place)},
                                     {"amdsmi_get_gpu_driver_info", amd_slot(calls.driver)},
                                     {"amdsmi_get_gpu_metrics_info", amd_slot(calls.metrics)}};
  FL_TRY_VOID(loading::resolve(library.value(), symbols));
  if (const AmdSmiCode code = calls.init(kAmdSmiGpus); code != kAmdSmiSuccess)
    return monitor.failure("AMD SMI does not start (amdsmi_init", code);
  AmdSmiVersion version;
  if (const AmdSmiCode code = calls.version(&version); code != kAmdSmiSuccess)
    return monitor.failure("AMD SMI does not tell its version (amdsmi_get_lib_version", code);
  if (version.first < kOldestKnown || version.first > kNewestKnown) {
    return Error{ErrorCode::kUnavailable, "AMD SMI " + std::to_string(version.first) + "." + std::to_string(version.second) +
                                              " is not known here: what it tells may lie elsewhere than in " +
                                              std::to_string(kOldestKnown) + " to " + std::to_string(kNewestKnown)};
  }
  monitor.counts_cycles_ = version.first >= kFirstWithCycles;
  const AmdSmiCode code = calls.device_by_place(place, &monitor.device_);
  if (code != kAmdSmiSuccess)
    return monitor.failure("AMD SMI does not know " + pci + " (amdsmi_get_processor_handle_from_bdf", code);
  AmdSmiDriver driver;
  if (calls.driver(monitor.device_, &driver) == kAmdSmiSuccess) {
    driver.version[sizeof driver.version - 1] = '\0';
    monitor.driver_version_ = driver.version;
  }
  return monitor;
}

Error AmdSmiMonitor::failure(const std::string& what, AmdSmiCode code) const {
  const char* text = nullptr;
  const bool told = calls_.error_text(code, &text) == kAmdSmiSuccess && text != nullptr;
  return {ErrorCode::kUnavailable, what + ": " + (told ? std::string(text) : "error " + std::to_string(code)) + ")"};
}

Result<AmdGpuMetrics> AmdSmiMonitor::read() const {
  AmdGpuMetrics metrics;
  std::memset(&metrics, 0xff, sizeof metrics);  // what an older library leaves alone is unknown
  const AmdSmiCode code = calls_.metrics(device_, &metrics);
  if (code != kAmdSmiSuccess) return failure("AMD SMI does not tell why clocks are low (amdsmi_get_gpu_metrics_info", code);
  return metrics;
}

Result<DeviceState> AmdSmiMonitor::state() {
  FL_TRY(const AmdGpuMetrics metrics, loading::within<AmdGpuMetrics>(patience_, "AMD SMI", [mine = *this] { return mine.read(); }));
  const std::optional<SlowedCycles> counts = counts_cycles_ ? slowed_cycles(metrics) : std::nullopt;
  const bool has_status = metrics.throttle_status != kAmdSmiNone64;
  if (!has_status && !counts) {
    return Error{ErrorCode::kUnavailable,
                 "AMD SMI does not tell why clocks are low: this device has no throttle status, and its library no counts of it"};
  }
  DeviceState state;
  if (has_status) state.throttle |= reasons_of_status(metrics.throttle_status);
  const auto now = std::chrono::steady_clock::now();
  if (counts && before_ && now - before_at_ <= kStale) state.throttle |= reasons_between(*before_, *counts);
  before_ = counts;
  before_at_ = now;
  state.core_mhz = known(metrics.core_mhz, counts_cycles_ ? metrics.core_mhz_of[0] : kAmdSmiNone16);
  state.memory_mhz = known(metrics.memory_mhz);
  state.celsius = known(metrics.hotspot_celsius, metrics.edge_celsius);
  state.watts = known(metrics.watts, metrics.average_watts);
  return state;
}

}  // namespace fuselab::sensors
