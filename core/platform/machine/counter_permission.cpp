// SPDX-License-Identifier: Apache-2.0
#include "core/platform/machine/counter_permission.h"

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string_view>

namespace fuselab::platform {
namespace {

namespace fs = std::filesystem;

// Numbers of linux/capability.h.
constexpr int kSysAdmin = 21, kPerfmon = 38;

// Returns what stands behind "name:" in a file of such lines.
std::optional<std::string> stated(const fs::path& file, std::string_view name) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ':') continue;
    const std::size_t start = line.find_first_not_of(" \t", name.size() + 1);
    return start == std::string::npos ? std::string() : line.substr(start);
  }
  return std::nullopt;
}

bool has_capability(const fs::path& root, int capability) {
  const auto mask = stated(root / "proc/self/status", "CapEff");
  return mask && ((std::strtoull(mask->c_str(), nullptr, 16) >> capability) & 1U) != 0;
}

// Whether a GPU is divided into instances: each has a folder gi0, gi1, ….
bool is_divided(const fs::path& root) {
  std::error_code absent;
  for (const auto& gpu : fs::directory_iterator(root / "proc/driver/nvidia/capabilities", absent)) {
    for (const auto& part : fs::directory_iterator(gpu.path() / "mig", absent)) {
      if (part.path().filename().string().starts_with("gi")) return true;
    }
  }
  return false;
}

}  // namespace

CounterPermission nvidia_counter_permission(const fs::path& root) {
  const auto restricted = stated(root / "proc/driver/nvidia/params", "RmProfilingAdminOnly");
  if (!restricted) return {false, "not known: the driver shows no settings (/proc/driver/nvidia/params)", ""};
  const bool is_open = *restricted == "0", admin = has_capability(root, kSysAdmin);
  if (!is_open && !admin) {
    const char* const kernels = has_capability(root, kPerfmon) ? "; CAP_PERFMON does not suffice" : "";
    return {false, "counters are for administrators (RmProfilingAdminOnly: " + *restricted + kernels + ")",
            "On the host, write `options nvidia NVreg_RestrictProfilingToAdminUsers=0` into /etc/modprobe.d/nvidia-profiling.conf, "
            "run `update-initramfs -u` and restart; or give this process CAP_SYS_ADMIN. Tracing works without"};
  }
  CounterPermission given{true, is_open ? "every user may read them (RmProfilingAdminOnly: 0)" : "this process may: CAP_SYS_ADMIN",
                          ""};
  if (const char* const injected = std::getenv("CUDA_INJECTION64_PATH"); injected != nullptr && *injected != '\0') {
    return {false, "another profiler is attached (CUDA_INJECTION64_PATH: " + std::string(injected) + ")",
            "Start without it: one profiler at a time counts"};
  }
  if (is_divided(root))
    given.found += "; a GPU is divided (MIG): an instance of its own counts, a shared one counts nothing of what it shares";
  return given;
}

CounterPermission processor_counter_permission(const fs::path& root) {
  std::ifstream file(root / "proc/sys/kernel/perf_event_paranoid");
  int level = 0;
  if (!(file >> level)) return {false, "this kernel has no performance events", ""};
  const std::string setting = "kernel.perf_event_paranoid is " + std::to_string(level);
  constexpr int kUsersCount = 2;  // Debian's 3 lets none
  if (has_capability(root, kPerfmon) || has_capability(root, kSysAdmin))
    return {true, "this process may read them: " + setting + ", and it has the right", ""};
  if (level <= kUsersCount) return {true, "every user may read those of own programs: " + setting, ""};
  return {false, "no user may read them: " + setting, "`sysctl kernel.perf_event_paranoid=2` lets users count their own programs"};
}

}  // namespace fuselab::platform
