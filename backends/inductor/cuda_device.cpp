// SPDX-License-Identifier: Apache-2.0
#include "backends/inductor/cuda_device.h"

#include <string>
#include <string_view>

namespace fuselab::inductor {
namespace {

// One device a target: what its architecture alone does not say. NVIDIA's datasheets.
struct Device {
  std::string_view target, name;
  int major, processors;
  std::int64_t last_cache_mib, memory_gib;
};
constexpr Device kDevices[] = {
    {"sm_80", "NVIDIA A100-SXM4-80GB", 8, 108, 40, 80},
    {"sm_90", "NVIDIA H200", 9, 132, 50, 141},
    {"sm_90a", "NVIDIA H200", 9, 132, 50, 141},
    {"sm_100", "NVIDIA B200", 10, 148, 126, 180},
    {"sm_120", "NVIDIA GeForce RTX 5090", 12, 170, 96, 32},
};

}  // namespace

Result<nlohmann::json> cuda_device(const Target& target) {
  const auto limit = [&](const char* name) {
    const auto found = target.limits.find(name);
    return found == target.limits.end() ? std::int64_t{0} : found->second;
  };
  std::string known;
  for (const Device& each : kDevices) {
    known += (known.empty() ? "" : ", ") + std::string(each.target);
    if (each.target != target.id) continue;
    return nlohmann::json{{"name", each.name},
                          {"major", each.major},
                          {"minor", 0},
                          {"multi_processor_count", each.processors},
                          {"total_memory", each.memory_gib << 30},
                          {"L2_cache_size", each.last_cache_mib << 20},
                          {"warp_size", limit("warp")},
                          {"max_threads_per_block", limit("max_threads")},
                          {"max_threads_per_multi_processor", limit("max_threads_per_sm")},
                          {"regs_per_multiprocessor", limit("registers_per_sm")},
                          {"shared_memory_per_block", limit("shared_bytes")},
                          {"shared_memory_per_block_optin", limit("shared_optin_bytes")},
                          {"shared_memory_per_multiprocessor", limit("shared_per_sm_bytes")},
                          {"is_integrated", false},
                          {"gcnArchName", ""}};
  }
  return Error{ErrorCode::kUnsupported, "Inductor is given no description of a device of " + target.id + ", only of " + known};
}

}  // namespace fuselab::inductor
