// SPDX-License-Identifier: Apache-2.0
#include "core/platform/machine/control_groups.h"

#include <gtest/gtest.h>

#include "tests/unit/platform/scratch_folder.h"

namespace fuselab::platform {
namespace {

TEST(ControlGroups, LimitTimeAtAnyLevel) {
  const ScratchFolder root;
  EXPECT_FALSE(cpu_quota(root.path()));
  EXPECT_FALSE(throttled_seconds(root.path()));
  root.write("proc/self/cgroup", "0::/user/job\n");
  root.write("sys/fs/cgroup/user/job/cpu.max", "max 100000\n");
  EXPECT_FALSE(cpu_quota(root.path()));
  root.write("sys/fs/cgroup/user/cpu.max", "150000 100000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(root.path()).value_or(0), 1.5);
  root.write("sys/fs/cgroup/user/job/cpu.stat", "usage_usec 9\nnr_throttled 0\nthrottled_usec 0\n");
  root.write("sys/fs/cgroup/user/cpu.stat", "usage_usec 9\nnr_throttled 3\nthrottled_usec 2500000\n");
  EXPECT_DOUBLE_EQ(throttled_seconds(root.path()).value_or(0), 2.5);
}

TEST(ControlGroups, OfTheOldKindSayItOtherwise) {
  const ScratchFolder root;
  root.write("proc/self/cgroup", "9:cpuset:/a\n5:cpu,cpuacct:/job\n0::/\n");
  root.write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n");
  root.write("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  EXPECT_FALSE(cpu_quota(root.path()));
  root.write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "50000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(root.path()).value_or(0), 0.5);
  root.write("sys/fs/cgroup/cpu/job/cpu.stat", "nr_periods 7\nnr_throttled 1\nthrottled_time 300000000\n");
  EXPECT_DOUBLE_EQ(throttled_seconds(root.path()).value_or(0), 0.3);
}

TEST(ControlGroups, GoUpFromTheProcessesOwn) {
  const ScratchFolder root;
  root.write("proc/self/cgroup", "nonsense\n4:memory:/a/b\n");
  const ControlGroups groups = control_groups("memory", root.path());
  EXPECT_FALSE(groups.unified);
  ASSERT_EQ(groups.folders.size(), 3U);
  EXPECT_EQ(groups.folders.front(), root.path() / "sys/fs/cgroup/memory/a/b");
  EXPECT_EQ(groups.folders.back(), root.path() / "sys/fs/cgroup/memory");
  EXPECT_TRUE(control_groups("cpu", root.path()).folders.empty());
}

}  // namespace
}  // namespace fuselab::platform
