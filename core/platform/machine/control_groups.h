// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fuselab::platform {

// The folders of the control groups that this process is in, its own first, then each one above up to the mounted root: any of them
// may set a limit. They are those of version 2, or of the named controller ("memory", "cpu") of version 1; empty where there are
// none.
struct ControlGroups {
  std::vector<std::filesystem::path> folders;
  bool unified = false;  // version 2
};
ControlGroups control_groups(const std::string& controller, const std::filesystem::path& root = "/");

// Returns how many processors' worth of time the control groups allow this process; nothing where they set no limit.
std::optional<double> cpu_quota(const std::filesystem::path& root = "/");
// Returns how long its control groups were kept from running because they had used up their quota, since they were made; nothing
// where the kernel does not report it.
std::optional<double> throttled_seconds(const std::filesystem::path& root = "/");

}  // namespace fuselab::platform
