// SPDX-License-Identifier: Apache-2.0
#include "core/platform/machine/machine.h"

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <set>
#include <thread>

#include "core/platform/files/directories.h"
#include "core/platform/machine/busy_processor.h"
#include "core/platform/system/uuid.h"
#include "tests/unit/platform/scratch_folder.h"

namespace fuselab::platform {
namespace {

TEST(MachineFacts, ReadsWhatTheKernelTells) {
  const ScratchFolder root;
  root.write("etc/machine-id", "0123456789abcdef0123456789abcdef\n");
  root.write("proc/cpuinfo", "processor\t: 0\nmodel name\t: Some CPU @ 3 GHz\nmicrocode\t: 0xa0011d1\n\nmodel name\t: other\n");
  root.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  root.write("sys/devices/system/cpu/cpufreq/boost", "0\n");
  const MachineFacts facts = machine_facts(root.path());
  EXPECT_EQ(facts.cpu_model, "Some CPU @ 3 GHz");
  EXPECT_EQ(facts.microcode, "0xa0011d1");
  EXPECT_EQ(facts.clock_policy, "performance, boost off");
  EXPECT_EQ(facts.host.size(), 32U);
  EXPECT_EQ(facts.host.find("0123456789abcdef"), std::string::npos);  // the machine id itself is nobody's business
  EXPECT_TRUE(facts.os_kernel.starts_with("Linux "));
}

TEST(MachineFacts, SayWhatElseAReaderOfARecordWantsToKnow) {
  const ScratchFolder root;
  const MachineFacts unknown = machine_facts(root.path());
  EXPECT_EQ(unknown.smt, "");
  EXPECT_EQ(unknown.numa_nodes, 0);
  EXPECT_FALSE(unknown.cpu_quota);
  EXPECT_EQ(unknown.aslr, "");
  root.write("sys/devices/system/cpu/smt/active", "1\n");
  root.write("sys/devices/system/node/node0/cpulist", "0-7\n");
  root.write("sys/devices/system/node/node1/cpulist", "8-15\n");
  root.write("sys/devices/system/node/online", "0-1\n");
  root.write("proc/sys/kernel/randomize_va_space", "2\n");
  root.write("proc/self/cgroup", "0::/\n");
  root.write("sys/fs/cgroup/cpu.max", "200000 100000\n");
  const MachineFacts facts = machine_facts(root.path());
  EXPECT_EQ(facts.smt, "on");
  EXPECT_EQ(facts.numa_nodes, 2);
  EXPECT_EQ(facts.cpu_quota, 2.0);
  EXPECT_EQ(facts.aslr, "on");
}

TEST(Contention, CountsTheWaitOfAllThreads) {
  const ScratchFolder root;
  EXPECT_EQ(waited_seconds(root.path() / "task"), 0) << "a kernel that does not count it";
  root.write("task/7/schedstat", "390157 3000000 3\n");
  root.write("task/8/schedstat", "1 500000 1\n");
  root.write("task/9/comm", "without\n");
  EXPECT_DOUBLE_EQ(waited_seconds(root.path() / "task"), 0.0035);
}

TEST(Contention, IsWhatABusyNeighbourMakes) {
  const BusyProcessor neighbour;
  timespec before{};
  ASSERT_EQ(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before), 0);
  double spent = 0;
  for (int look = 0; look < 1000 && spent <= 0.005; ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    timespec after{};
    ASSERT_EQ(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after), 0);
    spent = static_cast<double>(after.tv_sec - before.tv_sec) + static_cast<double>(after.tv_nsec - before.tv_nsec) * 1e-9;
  }
  EXPECT_GT(spent, 0.005) << "asleep, and yet it computes";
  EXPECT_GE(neighbour.processor(), 0);
}

TEST(Activity, IsLoadThreadsAndClock) {
  const ScratchFolder root;
  EXPECT_EQ(activity(root.path()).runnable, 0);
  root.write("proc/loadavg", "1.50 0.70 0.30 3/412 9999\n");
  root.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "3400000\n");
  const Activity found = activity(root.path());
  EXPECT_DOUBLE_EQ(found.load, 1.5);
  EXPECT_EQ(found.runnable, 3);
  EXPECT_DOUBLE_EQ(found.clock_mhz, 3400);
}

TEST(MachineFacts, TellIntelTurboFromItsNegation) {
  const ScratchFolder root;
  root.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  root.write("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
  EXPECT_EQ(machine_facts(root.path()).clock_policy, "powersave, boost on");
}

TEST(MachineFacts, EachOfThemChangesTheEnvironment) {
  const MachineFacts facts{"h", "name", "cpu", "micro", "kernel", "clock"};
  DeviceInfo device;
  device.uuid = "uuid";
  device.driver_version = "1";
  std::set<std::string> keys = {environment_identity(facts, device, "0.1").key().hex()};
  for (std::string MachineFacts::*field : {&MachineFacts::host, &MachineFacts::cpu_model, &MachineFacts::microcode,
                                           &MachineFacts::os_kernel, &MachineFacts::clock_policy}) {
    MachineFacts changed = facts;
    changed.*field += "x";
    keys.insert(environment_identity(changed, device, "0.1").key().hex());
  }
  keys.insert(environment_identity(facts, device, "0.2").key().hex());
  device.driver_version = "2";
  keys.insert(environment_identity(facts, device, "0.1").key().hex());
  device.uuid = "other";
  keys.insert(environment_identity(facts, device, "0.1").key().hex());
  EXPECT_EQ(keys.size(), 9U);
}

TEST(AvailableMemory, IsTheLeastOfMachineAndControlGroups) {
  const ScratchFolder root;
  root.write("proc/meminfo", "MemTotal:  8000000 kB\nMemAvailable:   4000000 kB\n");
  EXPECT_EQ(available_memory(root.path()).count, 4000000LL * 1024);
  root.write("proc/self/cgroup", "0::/user/job\n");
  root.write("sys/fs/cgroup/user/job/memory.max", "max\n");
  root.write("sys/fs/cgroup/user/job/memory.current", "1000\n");
  EXPECT_EQ(available_memory(root.path()).count, 4000000LL * 1024);
  root.write("sys/fs/cgroup/user/memory.max", "1073741824\n");
  root.write("sys/fs/cgroup/user/memory.current", "73741824\n");
  EXPECT_EQ(available_memory(root.path()).count, 1000000000LL);
}

TEST(AvailableMemory, UnderstandsTheOldControlGroups) {
  const ScratchFolder root;
  root.write("proc/meminfo", "MemAvailable:   4000000 kB\n");
  root.write("proc/self/cgroup", "5:cpu:/x\n4:memory:/job\n");
  root.write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "3000\n");
  root.write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "5000\n");
  EXPECT_EQ(available_memory(root.path()).count, 0);
}

TEST(AvailableMemory, IsPlausibleHere) {
  EXPECT_GT(available_memory().count, 1 << 20);
}

TEST(PeakMemory, IsTheKernelsOwnCount) {
  const ScratchFolder root;
  root.write("proc/self/status", "Name:  x\nVmPeak:  9000 kB\nVmHWM:\t    1234 kB\nVmRSS:\t    1000 kB\n");
  root.write("proc/42/status", "VmHWM:\t    5 kB\n");
  EXPECT_EQ(peak_memory("self", root.path()).count, 1234 * 1024);
  EXPECT_EQ(peak_memory("42", root.path()).count, 5 * 1024);
  EXPECT_EQ(peak_memory("43", root.path()).count, 0) << "a process that is gone";
  EXPECT_GT(peak_memory().count, 1 << 20);
}

TEST(Uuid, IsRandomVersionFour) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::string uuid = make_uuid();
    ASSERT_EQ(uuid.size(), 36U);
    EXPECT_EQ(uuid[14], '4');
    EXPECT_NE(std::string("89ab").find(uuid[19]), std::string::npos);
    seen.insert(uuid);
  }
  EXPECT_EQ(seen.size(), 1000U);
}

TEST(BaseDirectories, FollowTheStandard) {
  ::setenv("XDG_DATA_HOME", "/data", 1);
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  ::setenv("HOME", "/home/me", 1);
  const BaseDirectories directories = base_directories();
  EXPECT_EQ(directories.data, "/data");
  EXPECT_EQ(directories.cache, "/home/me/.cache");
}

}  // namespace
}  // namespace fuselab::platform
