// SPDX-License-Identifier: Apache-2.0
#include "core/platform/machine/machine.h"

#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/base/content_hash.h"
#include "core/platform/files/kernel_file.h"
#include "core/platform/machine/control_groups.h"

namespace fuselab::platform {
namespace {

namespace fs = std::filesystem;

// Model and microcode.
std::pair<std::string, std::string> processor_of(const fs::path& root) {
  return {read_field(root / "proc/cpuinfo", "model name"), read_field(root / "proc/cpuinfo", "microcode")};
}

// Read once: the kernel asks every processor for its clock to write that file, and this is asked for every measured block.
const std::pair<std::string, std::string>& own_processor() {
  static const auto processor = processor_of("/");
  return processor;
}

std::string host_name_of_kernel() {
  utsname names{};
  return ::uname(&names) == 0 ? names.nodename : "";
}

std::string os_kernel() {
  utsname names{};
  return ::uname(&names) == 0 ? std::string(names.sysname) + " " + names.release : "";
}

std::string clock_policy(const fs::path& root) {
  const fs::path cpu = root / "sys/devices/system/cpu";
  const std::string governor = read_line(cpu / "cpu0/cpufreq/scaling_governor");
  const std::string boost = read_line(cpu / "cpufreq/boost");
  const std::string no_turbo = read_line(cpu / "intel_pstate/no_turbo");
  std::string text = governor.empty() ? "unknown" : governor;
  if (!boost.empty()) text += boost == "1" ? ", boost on" : ", boost off";
  if (boost.empty() && !no_turbo.empty()) text += no_turbo == "0" ? ", boost on" : ", boost off";
  return text;
}

// Returns what a control group still allows, its limit less its use; nothing when it sets no limit.
std::optional<std::int64_t> group_headroom(const fs::path& folder, const char* limit_name, const char* use_name) {
  constexpr std::int64_t kNone = std::int64_t{1} << 60;  // version 1 says "no limit" with the largest number of pages
  const std::optional<std::int64_t> limit = parse_number(read_line(folder / limit_name));  // "max" does not parse: no limit
  if (!limit || *limit >= kNone) return std::nullopt;
  const std::optional<std::int64_t> use = parse_number(read_line(folder / use_name));
  if (!use) return std::nullopt;
  return std::max<std::int64_t>(0, *limit - *use);
}

std::optional<std::int64_t> control_group_headroom(const fs::path& root) {
  const ControlGroups groups = control_groups("memory", root);
  std::optional<std::int64_t> least;
  for (const fs::path& folder : groups.folders) {
    const auto headroom = groups.unified ? group_headroom(folder, "memory.max", "memory.current")
                                         : group_headroom(folder, "memory.limit_in_bytes", "memory.usage_in_bytes");
    if (headroom && (!least || *headroom < *least)) least = headroom;
  }
  return least;
}

std::string on_or_off(const std::string& switched) {
  return switched.empty() ? "" : switched == "1" ? "on" : "off";
}

int numa_nodes(const fs::path& root) {
  int nodes = 0;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(root / "sys/devices/system/node", absent)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("node") && parse_number(std::string_view(name).substr(4))) ++nodes;
  }
  return nodes;
}

std::string aslr(const fs::path& root) {
  const std::string level = read_line(root / "proc/sys/kernel/randomize_va_space");
  if (level == "0") return "off";
  if (level == "1") return "without heap";
  return level == "2" ? "on" : "";
}

}  // namespace

MachineFacts machine_facts(const fs::path& root) {
  MachineFacts facts;
  facts.host_name = host_name_of_kernel();
  std::string id = read_line(root / "etc/machine-id");
  if (id.empty()) id = facts.host_name;
  facts.host = ContentHash::of("fuselab host " + id).hex().substr(0, 32);
  std::tie(facts.cpu_model, facts.microcode) = root == "/" ? own_processor() : processor_of(root);
  facts.os_kernel = os_kernel();
  facts.clock_policy = clock_policy(root);
  facts.smt = on_or_off(read_line(root / "sys/devices/system/cpu/smt/active"));
  facts.numa_nodes = numa_nodes(root);
  facts.cpu_quota = cpu_quota(root);
  facts.aslr = aslr(root);
  return facts;
}

EnvironmentIdentity environment_identity(const MachineFacts& machine, const DeviceInfo& device, std::string tool_version) {
  EnvironmentIdentity identity;
  identity.host = machine.host;
  identity.device_uuid = device.uuid;
  identity.driver = device.driver_version.value_or("");
  identity.cpu_model = machine.cpu_model;
  identity.microcode = machine.microcode;
  identity.os_kernel = machine.os_kernel;
  identity.clock_policy = machine.clock_policy;
  identity.tool_version = std::move(tool_version);
  return identity;
}

double waited_seconds(const fs::path& tasks) {
  std::error_code failed;
  double nanoseconds = 0;
  for (fs::directory_iterator task(tasks, failed), end; !failed && task != end; task.increment(failed)) {
    std::ifstream file(task->path() / "schedstat");  // ns on a processor, ns waiting for one, time slices
    double ran = 0, waited = 0;
    if (file >> ran >> waited) nanoseconds += waited;
  }
  return nanoseconds * 1e-9;
}

// "17 (name of any kind) R …"
int other_running_threads(const fs::path& tasks) {
  int running = 0;
  std::error_code failed;
  for (fs::directory_iterator task(tasks, failed), end; !failed && task != end; task.increment(failed)) {
    const std::string line = read_line(task->path() / "stat");
    const auto state = line.rfind(") ");
    running += state != std::string::npos && line.compare(state, 3, ") R") == 0 ? 1 : 0;
  }
  return std::max(0, running - 1);
}

ContentionCounters contention_counters() {
  ContentionCounters counters;
  std::ifstream stat("/proc/stat");
  std::string label;
  double user = 0, nice = 0, system = 0, idle = 0, wait = 0, hard = 0, soft = 0, steal = 0;
  if (stat >> label >> user >> nice >> system >> idle >> wait >> hard >> soft >> steal) {
    counters.steal_seconds = steal / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }
  counters.throttled_seconds = throttled_seconds().value_or(0);
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) == 0) counters.involuntary_switches = usage.ru_nivcsw;
  counters.waited_seconds = waited_seconds("/proc/self/task");
  return counters;
}

Activity activity(const fs::path& root) {
  Activity found;
  std::ifstream file(root / "proc/loadavg");  // "0.20 0.18 0.12 1/80 11206"
  double five = 0, fifteen = 0;
  std::string entities;
  if (file >> found.load >> five >> fifteen >> entities) found.runnable = static_cast<int>(parse_number(entities).value_or(0));
  const auto kilohertz = parse_number(read_line(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq"));
  found.clock_mhz = static_cast<double>(kilohertz.value_or(0)) * 1e-3;
  return found;
}

Bytes peak_memory(const std::string& process, const fs::path& root) {
  return {parse_number(read_field(root / "proc" / process / "status", "VmHWM")).value_or(0) * 1024};
}

Bytes available_memory(const fs::path& root) {
  std::int64_t available = 0;
  if (const auto kibibytes = parse_number(read_field(root / "proc/meminfo", "MemAvailable"))) available = *kibibytes * 1024;
  if (const auto headroom = control_group_headroom(root)) available = std::min(available, *headroom);
  return {available};
}

}  // namespace fuselab::platform
