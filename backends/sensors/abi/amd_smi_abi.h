// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// The part of AMD SMI (libamd_smi.so) that Fuselab uses, as amdsmi.h of ROCm 6.1 (library 24) and of ROCm 7.0 to 7.2 (library 26)
// declare it. The library's number counts breaks of its binary interface; the parts that are read here have the same layout in
// both, unless stated otherwise.
namespace fuselab::sensors::abi {

using AmdSmiCode = int;  // amdsmi_status_t
inline constexpr AmdSmiCode kAmdSmiSuccess = 0;
inline constexpr AmdSmiCode kAmdSmiNotSupported = 2;
inline constexpr std::uint64_t kAmdSmiGpus = 1 << 1;  // AMDSMI_INIT_AMD_GPUS

using AmdSmiDevice = void*;  // amdsmi_processor_handle

// Returns amdsmi_bdf_t as its member as_uint: function, device, bus and domain from the lowest bits on.
constexpr std::uint64_t amd_smi_place(std::uint64_t domain, std::uint64_t bus, std::uint64_t device, std::uint64_t function) {
  return (domain << 16) | ((bus & 0xff) << 8) | ((device & 0x1f) << 3) | (function & 0x7);
}

// amdsmi_version_t: {major, minor, release, build} since 25 or 26, {year, major, minor, release, build} before, the year being
// 23 to 25. Room for either.
struct AmdSmiVersion {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  std::uint32_t rest[14] = {};
};

// The start of amdsmi_driver_info_t, which is the version's text; the lengths of its members differ.
struct AmdSmiDriver {
  char version[4096] = {};
};

inline constexpr std::uint16_t kAmdSmiNone16 = 0xffff;  // all bits set: the value of a fact that a device does not report
inline constexpr std::uint64_t kAmdSmiNone64 = ~std::uint64_t{0};

// The start of amdsmi_gpu_metrics_t, as far as it is read. The library writes more at the end, and more with each release.
struct AmdGpuMetrics {
  std::uint16_t structure_bytes;
  std::uint8_t format, content;
  std::uint16_t edge_celsius, hotspot_celsius, memory_celsius, regulator_celsius[3];
  std::uint16_t activity[3];
  std::uint16_t average_watts;
  std::uint64_t energy, clock_ns;
  std::uint16_t average_mhz[7];
  std::uint16_t core_mhz, soc_mhz, memory_mhz, video_mhz[4];
  std::uint32_t asic_throttle_status;  // bits that every kind of chip numbers in its own way
  std::uint16_t fan, link_width, link_speed;
  std::uint32_t activity_sums[2];
  std::uint16_t stack_celsius[4];
  std::uint64_t firmware_clock;
  std::uint16_t millivolts[3];
  std::uint64_t throttle_status;  // indep_throttle_status: numbered alike for all, see amd_throttling.h
  std::uint16_t watts;
  std::uint16_t decoders[4];
  std::uint32_t clock_lock;
  std::uint16_t fabric_width, fabric_speed;
  std::uint64_t link_counts[5];
  std::uint64_t fabric_read[8], fabric_written[8];
  std::uint16_t core_mhz_of[8], soc_mhz_of[4], video_mhz_of[8];
  std::uint16_t jpeg[32];
  std::uint32_t link_nacks[2];
  // These members exist since ROCm 6.3; they are only read from library 26 and later, whose header was checked. Cycles of the
  // firmware, and those of them in which it slowed the device down.
  std::uint64_t cycles, processor_hot_cycles, package_power_cycles, socket_heat_cycles, regulator_heat_cycles, memory_heat_cycles;
  std::byte what_follows[16384 - 472];
};
static_assert(sizeof(AmdGpuMetrics) == 16384);
static_assert(offsetof(AmdGpuMetrics, hotspot_celsius) == 6 && offsetof(AmdGpuMetrics, average_watts) == 22);
static_assert(offsetof(AmdGpuMetrics, core_mhz) == 54 && offsetof(AmdGpuMetrics, memory_mhz) == 58);
static_assert(offsetof(AmdGpuMetrics, asic_throttle_status) == 68 && offsetof(AmdGpuMetrics, throttle_status) == 112);
static_assert(offsetof(AmdGpuMetrics, watts) == 120 && offsetof(AmdGpuMetrics, core_mhz_of) == 312);
static_assert(offsetof(AmdGpuMetrics, cycles) == 424 && offsetof(AmdGpuMetrics, memory_heat_cycles) == 464);

struct AmdSmiFunctions {
  AmdSmiCode (*init)(std::uint64_t what);
  AmdSmiCode (*version)(AmdSmiVersion* version);
  AmdSmiCode (*error_text)(AmdSmiCode code, const char** text);
  AmdSmiCode (*device_by_place)(std::uint64_t place, AmdSmiDevice* device);  // a union of 8 bytes is passed as they are
  AmdSmiCode (*driver)(AmdSmiDevice device, AmdSmiDriver* driver);
  AmdSmiCode (*metrics)(AmdSmiDevice device, AmdGpuMetrics* metrics);
};

}  // namespace fuselab::sensors::abi
