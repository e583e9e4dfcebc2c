// SPDX-License-Identifier: Apache-2.0
// What the fake driver says of its devices: a made-up H200, or those of a machine that was dumped.
#include <cstdio>
#include <cstring>
#include <map>

#include "tests/support/fake_cuda/device_dump.h"
#include "tests/support/fake_cuda/fake_attributes.h"
#include "tests/support/fake_cuda/fake_state.h"

using namespace fuselab;
using namespace fuselab::cuda::abi;
using namespace fuselab::fake_cuda;

namespace {

DumpedMachine made_up() {
  const Behaviour asked = behaviour();
  DumpedMachine machine;
  machine.driver_version = static_cast<int>(asked.number("version").value_or(12090));
  machine.devices.resize(static_cast<std::size_t>(asked.number("devices").value_or(1)));
  for (std::size_t ordinal = 0; ordinal < machine.devices.size(); ++ordinal) {
    DumpedDevice& device = machine.devices[ordinal];
    device.name = "Fake H200";
    device.memory = static_cast<std::size_t>(asked.number("memory").value_or(143L << 30));
    for (std::size_t i = 0; i < sizeof device.uuid.bytes; ++i) device.uuid.bytes[i] = static_cast<char>(0xa0 + i);
    device.uuid.bytes[15] = static_cast<char>(0xaf + ordinal);
  }
  return machine;
}

// Read once per file: the calls are many.
DumpedMachine machine() {
  const auto path = behaviour().text("machine");
  if (!path) return made_up();
  static std::map<std::string, DumpedMachine> read;
  const auto known = read.find(*path);
  return known != read.end() ? known->second : read.emplace(*path, read_machine(*path)).first->second;
}

Code of_device(Device device, DumpedDevice& found) {
  if (const Code code = started(); code != kSuccess) return code;
  DumpedMachine here = machine();
  if (device < 0 || static_cast<std::size_t>(device) >= here.devices.size()) return misuse(kInvalidDevice);
  found = std::move(here.devices[static_cast<std::size_t>(device)]);
  return kSuccess;
}

}  // namespace

FAKE_EXPORT Code cuDriverGetVersion(int* version) {
  *version = machine().driver_version;
  return kSuccess;
}
FAKE_EXPORT Code cuDeviceGetCount(int* count) {
  *count = static_cast<int>(machine().devices.size());
  return started();
}
FAKE_EXPORT Code cuDeviceGet(Device* device, int ordinal) {
  DumpedDevice found;
  *device = ordinal;
  if (behaviour().number("unwell") == ordinal) return kDeviceUnavailable;
  return of_device(ordinal, found);
}
FAKE_EXPORT Code cuDeviceGetName(char* name, int length, Device device) {
  DumpedDevice found;
  const Code code = of_device(device, found);
  std::snprintf(name, static_cast<std::size_t>(length), "%s", found.name.c_str());
  return code;
}
FAKE_EXPORT Code cuDeviceGetUuid_v2(Uuid* uuid, Device device) {
  DumpedDevice found;
  const Code code = of_device(device, found);
  *uuid = found.uuid;
  return code;
}
FAKE_EXPORT Code cuDeviceTotalMem_v2(std::size_t* bytes, Device device) {
  DumpedDevice found;
  const Code code = of_device(device, found);
  *bytes = found.memory;
  return code;
}
FAKE_EXPORT Code cuDeviceGetAttribute(int* value, int attribute, Device device) {
  DumpedDevice found;
  if (const Code code = of_device(device, found); code != kSuccess) return code;
  if (const auto l2 = behaviour().number("l2"); l2 && attribute == kL2CacheSize) return *value = static_cast<int>(*l2), kSuccess;
  if (!behaviour().has("machine")) return *value = attribute_of(attribute), kSuccess;
  const auto known = found.attributes.find(attribute);
  if (known == found.attributes.end()) return kInvalidValue;
  *value = known->second;
  return kSuccess;
}
