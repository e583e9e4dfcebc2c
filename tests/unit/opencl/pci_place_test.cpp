// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/pci_place.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace fuselab::opencl {
namespace {

TEST(PciPlace, IsReadFromWhatKhronosExtensionGives) {
  std::array<std::uint32_t, 4> numbers{0x1, 0xc3, 0x1f, 0x7};
  EXPECT_EQ(place_by_khronos(std::as_bytes(std::span(numbers))), "0001:c3:1f.7");
  EXPECT_EQ(place_by_khronos(std::as_bytes(std::span(numbers)).first(12)), "") << "another size is another thing";
  numbers[1] = 0x100;
  EXPECT_EQ(place_by_khronos(std::as_bytes(std::span(numbers))), "") << "no bus has that number";
}

TEST(PciPlace, IsReadFromWhatAmdsExtensionGives) {
  std::array<std::byte, 24> bytes{};
  bytes[0] = std::byte{1};
  bytes[21] = std::byte{0xc3};
  bytes[22] = std::byte{0x02};
  bytes[23] = std::byte{0x01};
  EXPECT_EQ(place_by_amd(bytes), "0000:c3:02.1");
  bytes[0] = std::byte{2};
  EXPECT_EQ(place_by_amd(bytes), "") << "not on PCI Express";
  EXPECT_EQ(place_by_amd(std::span(bytes).first(16)), "");
}

}  // namespace
}  // namespace fuselab::opencl
