// SPDX-License-Identifier: Apache-2.0
#include "core/platform/machine/control_groups.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "core/platform/files/kernel_file.h"

namespace fuselab::platform {
namespace {

namespace fs = std::filesystem;

// Version 1 mounts controllers together ("cpu,cpuacct"); each is also found under its own name.
bool names(const std::string& list, const std::string& controller) {
  std::istringstream stream(list);
  for (std::string one; std::getline(stream, one, ',');) {
    if (one == controller) return true;
  }
  return false;
}

std::vector<fs::path> up_from(const fs::path& top, const std::string& group) {
  std::vector<fs::path> folders;
  for (fs::path own = top / fs::path(group).relative_path();; own = own.parent_path()) {
    folders.push_back(own);
    if (own == top || !own.has_parent_path() || own == own.parent_path()) return folders;
  }
}

std::optional<double> quota_of(const fs::path& folder, bool unified) {
  std::optional<std::int64_t> quota, period;
  if (unified) {
    const std::string both = read_line(folder / "cpu.max");  // "max 100000": no limit
    quota = parse_number(both);
    if (const std::size_t blank = both.find(' '); blank != std::string::npos)
      period = parse_number(std::string_view(both).substr(blank + 1));
  } else {
    quota = parse_number(read_line(folder / "cpu.cfs_quota_us"));  // -1: no limit
    period = parse_number(read_line(folder / "cpu.cfs_period_us"));
  }
  if (!quota || !period || *quota < 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<double> throttled_in(const fs::path& folder, bool unified) {
  const auto time = parse_number(read_field(folder / "cpu.stat", unified ? "throttled_usec" : "throttled_time", ' '));
  if (!time) return std::nullopt;
  return static_cast<double>(*time) * (unified ? 1e-6 : 1e-9);
}

}  // namespace

ControlGroups control_groups(const std::string& controller, const fs::path& root) {
  ControlGroups found;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "4:cpu,cpuacct:/job"; "0::/job" is version 2
    const std::size_t first = line.find(':');
    const std::size_t last = line.find(':', first == std::string::npos ? first : first + 1);
    if (last == std::string::npos) continue;
    const bool unified = line.starts_with("0::");
    const std::string group = line.substr(last + 1);
    if (!unified && !names(line.substr(first + 1, last - first - 1), controller)) continue;
    // Where both versions are mounted the controller is in the old one.
    if (unified && !found.folders.empty()) continue;
    found.folders = up_from(unified ? root / "sys/fs/cgroup" : root / "sys/fs/cgroup" / controller, group);
    found.unified = unified;
  }
  return found;
}

std::optional<double> cpu_quota(const fs::path& root) {
  const ControlGroups groups = control_groups("cpu", root);
  std::optional<double> least;
  for (const fs::path& folder : groups.folders) {
    const auto quota = quota_of(folder, groups.unified);
    if (quota && (!least || *quota < *least)) least = quota;
  }
  return least;
}

// A group above is throttled with all that is in it, its own time among them.
std::optional<double> throttled_seconds(const fs::path& root) {
  const ControlGroups groups = control_groups("cpu", root);
  std::optional<double> most;
  for (const fs::path& folder : groups.folders) {
    const auto time = throttled_in(folder, groups.unified);
    if (time) most = std::max(most.value_or(0), *time);
  }
  return most;
}

}  // namespace fuselab::platform
