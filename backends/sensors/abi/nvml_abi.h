// SPDX-License-Identifier: Apache-2.0
#pragma once

// The part of NVML (libnvidia-ml.so.1, which comes with the driver) that Fuselab uses, as nvml.h of R550 declares it: NVIDIA's
// "NVML API Reference Guide", enums nvmlReturn_t, nvmlClockType_t and nvmlTemperatureSensors_t.
namespace fuselab::sensors::abi {

using NvmlCode = int;  // nvmlReturn_t
inline constexpr NvmlCode kNvmlSuccess = 0;
inline constexpr NvmlCode kNvmlNotSupported = 3;

using NvmlDevice = struct NvmlDeviceTag*;  // nvmlDevice_t

inline constexpr int kNvmlClockSm = 1;              // NVML_CLOCK_SM
inline constexpr int kNvmlClockMemory = 2;          // NVML_CLOCK_MEM
inline constexpr int kNvmlTemperatureGpu = 0;       // NVML_TEMPERATURE_GPU
inline constexpr unsigned kNvmlVersionLength = 80;  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE

struct NvmlFunctions {
  NvmlCode (*init)();
  const char* (*error_text)(NvmlCode code);
  NvmlCode (*driver_version)(char* version, unsigned length);
  NvmlCode (*device_by_uuid)(const char* uuid, NvmlDevice* device);
  NvmlCode (*clock)(NvmlDevice device, int kind, unsigned* mhz);
  NvmlCode (*temperature)(NvmlDevice device, int sensor, unsigned* celsius);
  NvmlCode (*power)(NvmlDevice device, unsigned* milliwatts);
  NvmlCode (*throttle)(NvmlDevice device, unsigned long long* reasons);
};

}  // namespace fuselab::sensors::abi
