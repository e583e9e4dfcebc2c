// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/gpu/stream/driver.h"
#include "core/backend/device_info.h"

namespace fuselab::gpu::stream {

// Returns an attribute of the device; nothing where the driver does not answer.
std::optional<std::int64_t> attribute_of(const Driver& driver, abi::Device device, int attribute);

// Returns a GPU's id, index, name and memory; `nameless` is the name of one whose driver gives none.
DeviceInfo basic_facts(const Driver& driver, abi::Device device, int ordinal, const char* nameless);

// A fact that people read, from an attribute. Numbers in kHz are shown in MHz.
enum class FactForm { kNumber, kBytes, kKilohertz, kYesNo };
struct Fact {
  const char* property;
  int attribute;
  FactForm form;
};
// Adds those that the driver answers to the device's properties.
void add_facts(const Driver& driver, abi::Device device, std::span<const Fact> facts, DeviceInfo& info);

// A limit of a target, from an attribute.
struct Limit {
  const char* name;
  int attribute;
};
// Sets those that the driver answers.
void set_limits(const Driver& driver, abi::Device device, std::span<const Limit> limits, Target& target);

// The driver's devices, and the reasons of those that do not answer: {"cuda:1", "it does not answer (cuDeviceGet): CUDA_ERROR_…"}.
struct FoundDevices {
  std::vector<DeviceInfo> devices;
  std::map<std::string, std::string> left_out;
  // Returns "cuda:1 is left out: …", separated by "; "; empty when none is.
  std::string note() const;
  // Fails with kUnavailable and the reason for a device that does not answer, and with kNotFound for one that is not there; `what`
  // is what people call such a device: "CUDA device".
  Result<DeviceInfo> find(const std::string& id, const char* what) const;
};

// Describes every device that the driver counts; `counting` is what an error of that says was going on.
Result<FoundDevices> find_devices(const Driver& driver, const std::string& counting,
                                  const std::function<Result<DeviceInfo>(int ordinal)>& describe);

}  // namespace fuselab::gpu::stream
