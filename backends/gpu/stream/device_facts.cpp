// SPDX-License-Identifier: Apache-2.0
#include "backends/gpu/stream/device_facts.h"

#include "core/base/units.h"

namespace fuselab::gpu::stream {
namespace {

std::string fact_text(std::int64_t value, FactForm form) {
  switch (form) {
    case FactForm::kBytes: return format_bytes({value});
    case FactForm::kKilohertz: return std::to_string(value / 1000) + " MHz";
    case FactForm::kYesNo: return value != 0 ? "yes" : "no";
    case FactForm::kNumber: break;
  }
  return std::to_string(value);
}

}  // namespace

std::optional<std::int64_t> attribute_of(const Driver& driver, abi::Device device, int attribute) {
  int value = 0;
  if (driver.calls().device_attribute(&value, attribute, device) != abi::kSuccess) return std::nullopt;
  return value;
}

DeviceInfo basic_facts(const Driver& driver, abi::Device device, int ordinal, const char* nameless) {
  DeviceInfo info;
  info.backend = driver.vendor().backend;
  info.id = info.backend + ":" + std::to_string(ordinal);
  info.type = "gpu";
  info.index = ordinal;
  char name[256] = {};
  const bool named = driver.calls().device_name(name, sizeof name, device) == abi::kSuccess && name[0] != '\0';
  info.name = named ? name : nameless;
  std::size_t memory = 0;
  if (driver.calls().device_total_memory(&memory, device) == abi::kSuccess) {
    info.total_memory_bytes = static_cast<std::int64_t>(memory);
  }
  return info;
}

void add_facts(const Driver& driver, abi::Device device, std::span<const Fact> facts, DeviceInfo& info) {
  for (const Fact& each : facts) {
    if (const auto value = attribute_of(driver, device, each.attribute))
      info.properties[each.property] = fact_text(*value, each.form);
  }
}

void set_limits(const Driver& driver, abi::Device device, std::span<const Limit> limits, Target& target) {
  for (const Limit& each : limits) {
    if (const auto value = attribute_of(driver, device, each.attribute)) target.limits[each.name] = *value;
  }
}

std::string FoundDevices::note() const {
  std::string text;
  for (const auto& [id, why] : left_out) text.append(text.empty() ? "" : "; ").append(id).append(" is left out: ").append(why);
  return text;
}

Result<DeviceInfo> FoundDevices::find(const std::string& id, const char* what) const {
  for (const DeviceInfo& here : devices) {
    if (here.id == id) return here;
  }
  if (const auto failing = left_out.find(id); failing != left_out.end()) {
    return Error{ErrorCode::kUnavailable, id + " cannot be opened: " + failing->second};
  }
  return Error{ErrorCode::kNotFound, "there is no device '" + id + "': this machine has " + std::to_string(devices.size()) + " " +
                                         what + "(s), from " + id.substr(0, id.find(':')) + ":0 on"};
}

Result<FoundDevices> find_devices(const Driver& driver, const std::string& counting,
                                  const std::function<Result<DeviceInfo>(int ordinal)>& describe) {
  int count = 0;
  FL_TRY_VOID(driver.check(driver.calls().device_count(&count), counting));
  FoundDevices found;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    auto info = describe(ordinal);
    if (info.ok()) {
      found.devices.push_back(std::move(info).value());
    } else {
      found.left_out[std::string(driver.vendor().backend) + ":" + std::to_string(ordinal)] = info.error().message;
    }
  }
  return found;
}

}  // namespace fuselab::gpu::stream
