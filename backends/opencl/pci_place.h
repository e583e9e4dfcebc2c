// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace fuselab::opencl {

// These return a device's place on the PCI bus, "0000:c3:00.0", from its driver's bytes; empty where the bytes do not tell.

// Reads cl_khr_pci_bus_info's cl_device_pci_bus_info_khr: domain, bus, device and function as 4 bytes each.
std::string place_by_khronos(std::span<const std::byte> bytes);

// Reads cl_amd_device_attribute_query's cl_device_topology_amd: a type of 4 bytes, 1 for PCI Express, and in the last three bytes
// bus, device and function. It has no domain, so domain 0 is assumed.
std::string place_by_amd(std::span<const std::byte> bytes);

}  // namespace fuselab::opencl
