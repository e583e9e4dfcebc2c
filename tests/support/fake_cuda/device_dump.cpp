// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_cuda/device_dump.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

namespace fuselab::fake_cuda {
namespace {

// "GPU-a0a1a2a3-…"
cuda::abi::Uuid uuid_of(const std::string& text) {
  cuda::abi::Uuid uuid{};
  std::string digits;
  for (const char each : text.substr(std::min<std::size_t>(4, text.size()))) {
    if (each != '-') digits += each;
  }
  for (std::size_t i = 0; i < sizeof uuid.bytes && 2 * i + 1 < digits.size(); ++i) {
    uuid.bytes[i] = static_cast<char>(std::strtol(digits.substr(2 * i, 2).c_str(), nullptr, 16));
  }
  return uuid;
}

DumpedDevice device_of(const nlohmann::json& row) {
  DumpedDevice device;
  device.name = row.at("name");
  device.memory = row.at("total_memory_bytes");
  device.uuid = uuid_of(row.at("properties").value("uuid", ""));
  for (const auto& [key, value] : row.at("attributes").items()) device.attributes[std::atoi(key.c_str())] = value;
  return device;
}

}  // namespace

DumpedMachine read_machine(const std::string& path) {
  DumpedMachine machine;
  try {
    std::ifstream file(path);
    const auto document = nlohmann::json::parse(file);
    for (const auto& backend : document.at("backends")) {
      if (backend.at("id") != "cuda") continue;
      for (const auto& row : backend.at("devices")) {
        machine.devices.push_back(device_of(row));
        int major = 0, minor = 0;
        std::sscanf(row.at("driver_version").get<std::string>().c_str(), "%d.%d", &major, &minor);
        machine.driver_version = 1000 * major + 10 * minor;
      }
    }
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s is no dump of devices: %s\n", path.c_str(), problem.what());
    std::abort();
  }
  return machine;
}

}  // namespace fuselab::fake_cuda
