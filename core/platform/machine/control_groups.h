// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fuselab::platform {

// The folders of the control groups that this process is in, its own first, then each one above up to the mounted root: any of them
// may set a limit. Version 2, or the named controller ("memory", "cpu") of version 1; empty where there is none.
struct ControlGroups {
  std::vector<std::filesystem::path> folders;
  bool unified = false;  // version 2
};
ControlGroups control_groups(const std::string& controller, const std::filesystem::path& root = "/");

// How many processors' worth of time the control groups leave this process; nothing where they set no limit.
std::optional<double> cpu_quota(const std::filesystem::path& root = "/");
// How long its control groups were kept from running because they had used that up, since they were made; nothing where the kernel
// does not say.
std::optional<double> throttled_seconds(const std::filesystem::path& root = "/");

}  // namespace fuselab::platform
