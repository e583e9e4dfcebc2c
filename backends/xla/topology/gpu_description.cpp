// SPDX-License-Identifier: Apache-2.0
#include "backends/xla/topology/gpu_description.h"

#include <string_view>

namespace fuselab::xla {
namespace {

// One device a target: what its architecture alone does not say. NVIDIA's datasheets.
struct Device {
  std::string_view target, name, capability;
  bool own_instructions;  // those of this one architecture, as of sm_90a
  int processors;
  std::string_view bytes_per_second, last_cache_bytes, gigahertz, memory_bytes;
};
constexpr Device kDevices[] = {
    {"sm_80", "NVIDIA A100-SXM4-80GB", "8.0", false, 108, "2039000000000", "41943040", "1.41", "85899345920"},
    {"sm_90", "NVIDIA H200 141GB HBM3e", "9.0", false, 132, "4800000000000", "52428800", "1.98", "151397597184"},
    {"sm_90a", "NVIDIA H200 141GB HBM3e", "9.0", true, 132, "4800000000000", "52428800", "1.98", "151397597184"},
};

std::string limit(const Target& target, const std::string& name) {
  const auto found = target.limits.find(name);
  return std::to_string(found == target.limits.end() ? 0 : found->second);
}

}  // namespace

Result<GpuDescription> gpu_description(const Target& target) {
  std::string known;
  for (const Device& each : kDevices) {
    known += (known.empty() ? "" : ", ") + std::string(each.target);
    if (each.target != target.id) continue;
    const std::string name(each.name), major(each.capability.substr(0, 1)), minor(each.capability.substr(2));
    const auto number = [](const char* field, std::string_view value) {
      return std::string(field) + ": " + std::string(value) + " ";
    };
    std::string text = "gpu_device_info { threads_per_block_limit: 1024 threads_per_warp: 32 shared_memory_per_block: 49152 ";
    text +=
        number("shared_memory_per_core", limit(target, "shared_per_sm_bytes")) +
        number("threads_per_core_limit", limit(target, "max_threads_per_sm")) +
        number("core_count", std::to_string(each.processors)) + "fpus_per_core: " + (each.capability == "8.0" ? "64 " : "128 ") +
        "block_dim_limit_x: 2147483647 block_dim_limit_y: 65535 block_dim_limit_z: 65535 " +
        number("memory_bandwidth", each.bytes_per_second) + number("l2_cache_size", each.last_cache_bytes) +
        number("clock_rate_ghz", each.gigahertz) + number("device_memory_size", each.memory_bytes) +
        number("shared_memory_per_block_optin", limit(target, "shared_optin_bytes")) + "cuda_compute_capability { major: " + major +
        " minor: " + minor + (each.own_instructions ? " feature_extension: ACCELERATED_FEATURES } " : " } ") +
        "registers_per_core_limit: 65536 registers_per_block_limit: 65536 thread_dim_limit_x: 1024 thread_dim_limit_y: 1024 "
        "thread_dim_limit_z: 64 device_vendor: \"NVIDIA Corporation\" platform_version: \"Compute Capability " +
        std::string(each.capability) + "\" device_address_bits: 64 name: \"" + name +
        "\" driver_version: \"13.0.0\" runtime_version: \"13.0.0\" compile_time_toolkit_version: \"13.0.0\" dnn_version: "
        "\"9.10.0\" }\nplatform_name: \"CUDA\"\ndnn_version_info { major: 9 minor: 10 patch: 0 }\ndevice_description_str: \"" +
        name + "\"\n";
    return GpuDescription{name, std::move(text)};
  }
  return Error{ErrorCode::kUnsupported, "XLA is given no description of a device of " + target.id + ", only of " + known};
}

}  // namespace fuselab::xla
