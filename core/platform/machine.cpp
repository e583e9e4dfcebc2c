// SPDX-License-Identifier: Apache-2.0
#include "core/platform/machine.h"

#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/base/content_hash.h"

namespace fuselab::platform {
namespace {

namespace fs = std::filesystem;

std::string trimmed(std::string_view text) {
  std::size_t const first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\n") - first + 1));
}

std::string read_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return trimmed(line);
}

// The value of the first line "name : value" of a file such as /proc/cpuinfo; empty when there is none.
std::string read_field(const fs::path& path, std::string_view name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::size_t const colon = line.find(':');
    if (colon != std::string::npos && trimmed(std::string_view(line).substr(0, colon)) == name)
      return trimmed(line.substr(colon + 1));
  }
  return {};
}

// Model and microcode.
std::pair<std::string, std::string> processor_of(const fs::path& root) {
  return {read_field(root / "proc/cpuinfo", "model name"), read_field(root / "proc/cpuinfo", "microcode")};
}

// Read once: the kernel asks every processor for its clock to write that file, and this is asked for every measured block.
const std::pair<std::string, std::string>& own_processor() {
  static const auto processor = processor_of("/");
  return processor;
}

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t number = 0;
  auto const [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end == text.data()) return std::nullopt;
  return number;
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
  fs::path const cpu = root / "sys/devices/system/cpu";
  std::string const governor = read_line(cpu / "cpu0/cpufreq/scaling_governor");
  std::string const boost = read_line(cpu / "cpufreq/boost");
  std::string const no_turbo = read_line(cpu / "intel_pstate/no_turbo");
  std::string text = governor.empty() ? "unknown" : governor;
  if (!boost.empty()) text += boost == "1" ? ", boost on" : ", boost off";
  if (boost.empty() && !no_turbo.empty()) text += no_turbo == "0" ? ", boost on" : ", boost off";
  return text;
}

// What a control group still allows: limit − use of this group; nothing when it sets no limit.
std::optional<std::int64_t> group_headroom(const fs::path& folder, const char* limit_name, const char* use_name) {
  constexpr std::int64_t kNone = std::int64_t{1} << 60;  // version 1 says "no limit" with the largest number of pages
  std::optional<std::int64_t> const limit = parse_number(read_line(folder / limit_name));  // "max" does not parse: no limit
  if (!limit || *limit >= kNone) return std::nullopt;
  std::optional<std::int64_t> const use = parse_number(read_line(folder / use_name));
  if (!use) return std::nullopt;
  return std::max<std::int64_t>(0, *limit - *use);
}

// Every group from the process's own up to the root may set a limit.
std::optional<std::int64_t> control_group_headroom(const fs::path& root) {
  std::optional<std::int64_t> least;
  auto const note = [&least](std::optional<std::int64_t> headroom) {
    if (headroom && (!least || *headroom < *least)) least = headroom;
  };
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    bool const unified = line.starts_with("0::");
    if (!unified && line.find(":memory:") == std::string::npos) continue;
    fs::path const top = unified ? root / "sys/fs/cgroup" : root / "sys/fs/cgroup/memory";
    fs::path own = top / fs::path(line.substr(line.rfind(':') + 1)).relative_path();
    for (;; own = own.parent_path()) {
      note(unified ? group_headroom(own, "memory.max", "memory.current")
                   : group_headroom(own, "memory.limit_in_bytes", "memory.usage_in_bytes"));
      if (own == top || !own.has_parent_path() || own == own.parent_path()) break;
    }
  }
  return least;
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

ContentionCounters contention_counters() {
  ContentionCounters counters;
  std::ifstream stat("/proc/stat");
  std::string label;
  double user = 0, nice = 0, system = 0, idle = 0, wait = 0, hard = 0, soft = 0, steal = 0;
  if (stat >> label >> user >> nice >> system >> idle >> wait >> hard >> soft >> steal) {
    counters.steal_seconds = steal / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) == 0) counters.involuntary_switches = usage.ru_nivcsw;
  return counters;
}

Bytes available_memory(const fs::path& root) {
  std::int64_t available = 0;
  if (auto const kibibytes = parse_number(read_field(root / "proc/meminfo", "MemAvailable"))) available = *kibibytes * 1024;
  if (auto const headroom = control_group_headroom(root)) available = std::min(available, *headroom);
  return {available};
}

}  // namespace fuselab::platform
