// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/backend/device_info.h"
#include "core/base/units.h"
#include "core/measure/protocol.h"

namespace fuselab::platform {

// The facts that identify this machine as a place to measure. Unknown ones are empty.
struct MachineFacts {
  std::string host;       // hash of the machine id (or host name): recognisable, not revealing
  std::string host_name;  // for people
  std::string cpu_model;
  std::string microcode;
  std::string os_kernel;     // "Linux 6.1.0-18-amd64"
  std::string clock_policy;  // "performance, boost on"; "unknown" where a hypervisor hides the governor
  // Further facts for readers of a record, which are not part of the identity.
  std::string smt = {};                  // "on", "off"
  int numa_nodes = 0;                    // 0: unknown
  std::optional<double> cpu_quota = {};  // processors' worth of time that the control groups allow; nothing: no limit
  std::string aslr = {};                 // "on", "off", "without heap"
};

// Reads the facts below `root` ("/" except in tests). Cheap enough to sample with each block.
MachineFacts machine_facts(const std::filesystem::path& root = "/");
// Returns the environment identity of one device of this machine. `tool_version` is the caller's.
EnvironmentIdentity environment_identity(const MachineFacts& machine, const DeviceInfo& device, std::string tool_version);

// Counters of the time that this process lost its processors. Sampled before and after a timed region, their difference tells how
// much it was disturbed.
struct ContentionCounters {
  double steal_seconds = 0;  // all CPUs: time a hypervisor gave to other guests
  long involuntary_switches = 0;
  // Time in which threads of this process could run and did not, because their processor was given to others; over all threads that
  // still live. 0 where the kernel does not count it (/proc/self/task/*/schedstat).
  double waited_seconds = 0;
  double throttled_seconds = 0;  // the control groups' time quota was used up
};
ContentionCounters contention_counters();
// Returns that waiting time alone, for the threads that `tasks` lists as /proc/self/task does.
double waited_seconds(const std::filesystem::path& tasks);

// Returns how many threads of this process run or are ready to, the calling one left out; `tasks` as above. Takes microseconds.
int other_running_threads(const std::filesystem::path& tasks = "/proc/self/task");

// The present activity of the machine. Unknown values are 0.
struct Activity {
  double load = 0;       // average of the last minute
  int runnable = 0;      // threads that run or are ready to, this one included
  double clock_mhz = 0;  // clock of the first processor
};
Activity activity(const std::filesystem::path& root = "/");

// Returns the bytes that may still be allocated: the least of MemAvailable and what the control groups allow.
Bytes available_memory(const std::filesystem::path& root = "/");
// Returns the most memory that a living process has had resident so far, pages of files that it maps included; by its id, or of
// this process ("self"). Unknown: 0.
Bytes peak_memory(const std::string& process = "self", const std::filesystem::path& root = "/");

}  // namespace fuselab::platform
