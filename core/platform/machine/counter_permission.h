// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace fuselab::platform {

// Says which users may read counters on this machine, as far as its files say.
struct CounterPermission {
  bool is_given = false;
  std::string found;   // "this user may read them: …"
  std::string advice;  // what would permit it; empty where nothing does or none is needed
  // Returns both as one line.
  std::string text() const { return advice.empty() ? found : found + ". " + advice; }
};

// Reads the settings of NVIDIA's driver, the rights of this process, a division of the GPUs (MIG), and a profiler that its
// environment names, below `root` ("/" except in tests). The driver alone decides: a container may refuse what these files allow.
CounterPermission nvidia_counter_permission(const std::filesystem::path& root = "/");

// Reads kernel.perf_event_paranoid and the rights of this process. Whether there is a PMU, opening an event tells.
CounterPermission processor_counter_permission(const std::filesystem::path& root = "/");

}  // namespace fuselab::platform
