// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/pci_place.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace fuselab::opencl {
namespace {

constexpr std::uint32_t kPciExpress = 1;  // CL_DEVICE_TOPOLOGY_TYPE_PCIE_AMD

std::string written(std::uint32_t domain, std::uint32_t bus, std::uint32_t device, std::uint32_t function) {
  if (bus > 0xff || device > 0x1f || function > 7) return {};
  char text[32];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.%x", domain, bus, device, function);
  return text;
}

}  // namespace

std::string place_by_khronos(std::span<const std::byte> bytes) {
  std::array<std::uint32_t, 4> numbers{};
  if (bytes.size() != sizeof numbers) return {};
  std::memcpy(numbers.data(), bytes.data(), sizeof numbers);
  return written(numbers[0], numbers[1], numbers[2], numbers[3]);
}

std::string place_by_amd(std::span<const std::byte> bytes) {
  constexpr std::size_t kBytes = 24;
  if (bytes.size() != kBytes) return {};
  std::uint32_t type = 0;
  std::memcpy(&type, bytes.data(), sizeof type);
  if (type != kPciExpress) return {};
  const auto at = [&](std::size_t index) { return std::to_integer<std::uint32_t>(bytes[index]); };
  return written(0, at(kBytes - 3), at(kBytes - 2), at(kBytes - 1));
}

}  // namespace fuselab::opencl
