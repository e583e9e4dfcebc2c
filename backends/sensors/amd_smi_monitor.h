// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "backends/sensors/abi/amd_smi_abi.h"
#include "backends/sensors/amd_throttling.h"
#include "core/backend/device_monitor.h"

namespace fuselab::sensors {

// One device as AMD SMI sees it. The library stays in the process. Used by one thread.
class AmdSmiMonitor final : public DeviceMonitor {
 public:
  static constexpr std::chrono::milliseconds kPatience{5000};

  // Looks for libamd_smi.so.26, .25 or .24 ($FUSELAB_LIB_AMD_SMI overrides) and in it for the device at this place of the PCI bus
  // ("0000:c3:00.0").
  // Fails with kUnavailable and one line: "AMD SMI: libamd_smi.so.26, … not found", "AMD SMI 27 is not known here …", "AMD SMI does
  // not know 0000:c3:00.0 (amdsmi_get_processor_handle_from_bdf: …)"; with kTimeout where it does not answer within `patience`,
  // which applies to readings, too.
  static Result<std::unique_ptr<AmdSmiMonitor>> open(const std::string& pci, std::chrono::milliseconds patience = kPatience);

  // Reads the sensors. Unreported values are 0, but the reasons for low clocks are required: from the bits that are set now, or
  // from counts that increased since the previous reading. The first reading, and one more than kStale after the last, has no
  // previous one.
  Result<DeviceState> state() override;
  std::string driver_version() override { return driver_version_; }

  // The age from which a reading belongs to what was timed before.
  static constexpr std::chrono::seconds kStale{10};

 private:
  AmdSmiMonitor() = default;
  static Result<AmdSmiMonitor> started(const std::string& pci, std::uint64_t place);
  Result<abi::AmdGpuMetrics> read() const;
  Error failure(const std::string& what, abi::AmdSmiCode code) const;

  abi::AmdSmiFunctions calls_{};
  abi::AmdSmiDevice device_ = nullptr;
  bool counts_cycles_ = false;  // the library is one of those that report cycles
  std::string driver_version_;
  std::chrono::milliseconds patience_ = kPatience;
  std::optional<SlowedCycles> before_;
  std::chrono::steady_clock::time_point before_at_;
};

}  // namespace fuselab::sensors
