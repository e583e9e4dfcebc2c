// SPDX-License-Identifier: Apache-2.0
#include "backends/sensors/device_sensors.h"

#include "backends/sensors/amd_smi_monitor.h"
#include "backends/sensors/nvml_monitor.h"

namespace fuselab::sensors {
namespace {

using Opened = Result<std::unique_ptr<DeviceMonitor>>;

struct VendorSensors {
  const char* library;
  const char* vendor[2];  // what drivers call it: one of these is part of the name
  const char* property;   // the device is found by
  const char* what;       // that is, for people
  Opened (*open)(const std::string& which);
};

template <typename Monitor>
Opened open_as(const std::string& which) {
  FL_TRY(std::unique_ptr<Monitor> monitor, Monitor::open(which));
  return std::unique_ptr<DeviceMonitor>(std::move(monitor));
}

constexpr VendorSensors kVendors[] = {
    {"NVML", {"NVIDIA", "NVIDIA"}, "uuid", "UUID", open_as<NvmlMonitor>},
    {"AMD SMI", {"AMD", "Advanced Micro Devices"}, "pci", "place on the PCI bus", open_as<AmdSmiMonitor>}};

const VendorSensors* vendor_of(const DeviceInfo& device) {
  if (device.type != "gpu") return nullptr;
  if (device.backend == "cuda") return &kVendors[0];
  const auto said = device.properties.find("vendor");
  if (said == device.properties.end()) return nullptr;
  for (const VendorSensors& vendor : kVendors) {
    for (const char* const name : vendor.vendor) {
      if (said->second.find(name) != std::string::npos) return &vendor;
    }
  }
  return nullptr;
}

Opened open_sensors(const DeviceInfo& device) {
  const VendorSensors* const vendor = vendor_of(device);
  if (vendor == nullptr) return Error{ErrorCode::kUnavailable, "no library is known that reads the sensors of " + device.id};
  const auto which = device.properties.find(vendor->property);
  if (which == device.properties.end())
    return Error{ErrorCode::kUnavailable,
                 "the driver gives " + device.id + " no " + vendor->what + " to find it in " + vendor->library + " by"};
  return vendor->open(which->second);
}

}  // namespace

bool are_read_of(const DeviceInfo& device) {
  return vendor_of(device) != nullptr;
}

std::string sensors_text(const DeviceInfo& device) {
  const Opened monitor = open_sensors(device);
  if (!monitor.ok()) return monitor.error().message;
  return std::string(vendor_of(device)->library) + ", driver " + monitor.value()->driver_version();
}

const Opened& DeviceSensors::opened() {
  if (!monitor_) monitor_.emplace(open_sensors(device_));
  return *monitor_;
}

Result<DeviceState> DeviceSensors::state() {
  const Opened& monitor = opened();
  if (!monitor.ok()) return monitor.error();
  auto said = monitor.value()->state();
  if (!said.ok()) monitor_.emplace(said.error());
  return said;
}

std::string DeviceSensors::driver_version() {
  return opened().ok() ? opened().value()->driver_version() : "";
}

}  // namespace fuselab::sensors
