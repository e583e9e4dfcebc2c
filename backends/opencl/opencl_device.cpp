// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/opencl_device.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <span>

#include "backends/opencl/pci_place.h"
#include "backends/sensors/device_sensors.h"
#include "core/backend/device_uuid.h"
#include "core/base/content_hash.h"

namespace fuselab::opencl {
namespace {

using namespace abi;

// A platform may list more than anyone has: a driver gone wrong is not followed.
constexpr std::uint32_t kMostPlatforms = 64, kMostDevices = 256;
constexpr std::size_t kLongestText = 1 << 16;

template <typename Ask>
std::string text_of(Ask ask) {
  std::size_t size = 0;
  if (ask(0, nullptr, &size) != kSuccess || size == 0 || size > kLongestText) return {};
  std::string text(size, '\0');
  if (ask(size, text.data(), nullptr) != kSuccess) return {};
  while (!text.empty() && (text.back() == '\0' || text.back() == ' ')) text.pop_back();
  return text;
}

class Properties {
 public:
  Properties(const Functions& calls, abi::Device device) : calls_(calls), device_(device) {}

  // Numbers come as 4 or 8 bytes, by the property.
  std::optional<std::int64_t> number(Name what) const {
    std::uint64_t value = 0;
    std::size_t size = 0;
    if (calls_.device_info(device_, what, sizeof value, &value, &size) != kSuccess) return std::nullopt;
    if (size != 4 && size != 8) return std::nullopt;
    return static_cast<std::int64_t>(value);
  }
  std::string text(Name what) const {
    return text_of(
        [&](std::size_t room, void* to, std::size_t* size) { return calls_.device_info(device_, what, room, to, size); });
  }
  // Empty where the driver has none: the same 16 bytes that CUDA gives its devices.
  std::string uuid() const {
    std::array<std::byte, 16> bytes{};
    std::size_t size = 0;
    const bool given =
        calls_.device_info(device_, kDeviceUuid, bytes.size(), bytes.data(), &size) == kSuccess && size == bytes.size();
    return given ? device_uuid_text(bytes) : std::string();
  }
  // "0000:c3:00.0"; empty where the driver does not tell.
  std::string pci_place() const {
    std::array<std::byte, 24> bytes{};
    std::size_t size = 0;
    const auto asked = [&](Name what) {
      return calls_.device_info(device_, what, bytes.size(), bytes.data(), &size) == kSuccess && size <= bytes.size();
    };
    if (asked(kDevicePciBusInfo)) return place_by_khronos(std::span(bytes).first(size));
    return asked(kDeviceTopologyAmd) ? place_by_amd(std::span(bytes).first(size)) : std::string();
  }
  // Work-items along the first dimension: the one that kernels here use.
  std::optional<std::int64_t> longest_group() const {
    std::size_t sizes[16] = {};
    if (calls_.device_info(device_, kDeviceMaxWorkItemSizes, sizeof sizes, sizes, nullptr) != kSuccess) return std::nullopt;
    return static_cast<std::int64_t>(sizes[0]);
  }

 private:
  const Functions& calls_;
  abi::Device device_;
};

// Letters and digits of a device's name, with single dashes for everything else.
std::string slug(const std::string& name) {
  std::string out;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.substr(0, 48);
}

std::string type_of(std::int64_t bits) {
  if ((static_cast<Bits>(bits) & kDeviceTypeGpu) != 0) return "gpu";
  return (static_cast<Bits>(bits) & kDeviceTypeCpu) != 0 ? "cpu" : "accelerator";
}

struct PlatformText {
  std::string name, version;
};

Target target_of(const Properties& ask, const PlatformText& platform, const DeviceInfo& info) {
  IdentityHasher versions("opencl-target");
  versions.add("platform", platform.name).add("platform_version", platform.version).add("device", info.name);
  versions.add("device_version", ask.text(kDeviceVersion)).add("driver", info.driver_version.value_or(""));
  Target target{"opencl-" + slug(info.name) + "-" + versions.finish().hex().substr(0, 8), "opencl", {}};
  const auto limit = [&](const char* name, std::optional<std::int64_t> value) {
    if (value && *value > 0) target.limits[name] = *value;
  };
  std::optional<std::int64_t> threads = ask.number(kDeviceMaxWorkGroupSize);
  if (const auto longest = ask.longest_group(); threads && longest) threads = std::min(*threads, *longest);
  limit("max_threads", threads);
  limit("shared_bytes", ask.number(kDeviceLocalMemSize));
  limit("argument_bytes", ask.number(kDeviceMaxParameterSize));
  limit("multiprocessors", ask.number(kDeviceMaxComputeUnits));
  limit("max_allocation_bytes", ask.number(kDeviceMaxMemAllocSize));
  // Drivers of GPUs name any of their caches here, the smallest too: which is the last one is not known of them.
  if (info.type == "cpu") limit("l3_bytes", ask.number(kDeviceGlobalMemCacheSize));
  limit("buffer_alignment", ask.number(kDeviceMemBaseAddrAlign).value_or(1024) / 8);
  // These limits say what the language has on every device, whatever this one could do beyond it.
  target.limits["lane_shuffles"] = 0;
  target.limits["streaming_stores"] = 0;
  // Processors have none of their own: what work-items share lies where everything lies.
  target.limits["dedicated_local"] = ask.number(kDeviceLocalMemType).value_or(kLocalMemDedicated) == kLocalMemDedicated ? 1 : 0;
  target.limits["f64"] = ask.number(kDeviceDoubleFpConfig).value_or(0) != 0 ? 1 : 0;
  return target;
}

DeviceInfo describe(const Properties& ask, const PlatformText& platform, int index) {
  DeviceInfo info;
  info.id = "opencl:" + std::to_string(index);
  info.backend = "opencl";
  info.type = type_of(ask.number(kDeviceType).value_or(0));
  info.index = index;
  info.name = ask.text(kDeviceName);
  if (info.name.empty()) info.name = "OpenCL device";
  // A processor that other backends drive as well: whoever reads a table must see by which way.
  if (info.type == "cpu") {
    info.name += " (this CPU through " + platform.name + ")";
    info.properties[kSoftwareProperty] = platform.name;
  }
  info.unified_memory = ask.number(kDeviceHostUnifiedMemory).value_or(0) != 0;
  if (const auto bytes = ask.number(kDeviceGlobalMemSize); bytes && *bytes > 0) info.total_memory_bytes = *bytes;
  info.compute_units = ask.number(kDeviceMaxComputeUnits);
  if (const std::string driver = ask.text(kDriverVersion); !driver.empty()) info.driver_version = driver;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) info.properties[name] = value;
  };
  add("platform", platform.name);
  add("platform_version", platform.version);
  add("device_version", ask.text(kDeviceVersion));
  add("vendor", ask.text(kDeviceVendor));
  if (const auto bytes = ask.number(kDeviceMaxMemAllocSize)) add("max_allocation", format_bytes({*bytes}));
  if (const auto bytes = ask.number(kDeviceLocalMemSize)) add("local_memory", format_bytes({*bytes}));
  if (const auto clock = ask.number(kDeviceMaxClockFrequency); clock && *clock > 0) add("clock", std::to_string(*clock) + " MHz");
  if (const auto bits = ask.number(kDeviceSingleFpConfig)) {
    add("f32_denormals", (static_cast<Bits>(*bits) & kFpDenorm) != 0 ? "kept" : "flushed");
  }
  if (info.type != "cpu") {
    add("uuid", ask.uuid());
    add("pci", ask.pci_place());
    if (sensors::are_read_of(info)) add("sensors", sensors::sensors_text(info));
  }
  info.target = target_of(ask, platform, info);
  IdentityHasher identity("opencl");
  identity.add("platform", platform.name).add("name", info.name).add("vendor", ask.text(kDeviceVendor));
  identity.add("units", info.compute_units.value_or(0)).add("index", static_cast<std::int64_t>(index));
  info.uuid = identity.finish().hex();
  return info;
}

Result<std::vector<abi::Platform>> platforms_of(const OpenClLibrary& library) {
  std::uint32_t count = 0;
  const Code code = library.calls().platforms(0, nullptr, &count);
  if (code == kPlatformNotFound || (code == kSuccess && count == 0)) {
    return Error{ErrorCode::kUnavailable, "libOpenCL.so.1 was loaded but offers no platform: no driver (ICD) is installed"};
  }
  FL_TRY_VOID(library.check(code, "listing OpenCL platforms"));
  std::vector<abi::Platform> platforms(std::min(count, kMostPlatforms));
  FL_TRY_VOID(library.check(library.calls().platforms(static_cast<std::uint32_t>(platforms.size()), platforms.data(), nullptr),
                            "listing OpenCL platforms"));
  return platforms;
}

std::vector<abi::Device> devices_of(const Functions& calls, abi::Platform platform) {
  std::uint32_t count = 0;
  if (calls.devices(platform, kDeviceTypeAll, 0, nullptr, &count) != kSuccess || count == 0) return {};
  std::vector<abi::Device> devices(std::min(count, kMostDevices));
  const auto room = static_cast<std::uint32_t>(devices.size());
  if (calls.devices(platform, kDeviceTypeAll, room, devices.data(), nullptr) != kSuccess) return {};
  return devices;
}

}  // namespace

Result<std::vector<OpenClDevice>> list_devices(const OpenClLibrary& library) {
  FL_TRY(const std::vector<abi::Platform> platforms, platforms_of(library));
  const auto& calls = library.calls();
  std::vector<OpenClDevice> devices;
  std::string names;
  for (const abi::Platform handle : platforms) {
    const auto text = [&](Name what) {
      return text_of(
          [&](std::size_t room, void* to, std::size_t* size) { return calls.platform_info(handle, what, room, to, size); });
    };
    const PlatformText platform{text(kPlatformName), text(kPlatformVersion)};
    names += (names.empty() ? "" : ", ") + platform.name;
    for (const abi::Device device : devices_of(calls, handle)) {
      const Properties ask(calls, device);
      if (ask.number(kDeviceAvailable).value_or(1) == 0) continue;
      devices.push_back({device, describe(ask, platform, static_cast<int>(devices.size()))});
    }
  }
  if (devices.empty())
    return Error{ErrorCode::kUnavailable, "no OpenCL device: none of the installed platforms (" + names + ") has one"};
  return devices;
}

}  // namespace fuselab::opencl
