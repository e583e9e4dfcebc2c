// SPDX-License-Identifier: Apache-2.0
#include "core/platform/machine/counter_permission.h"

#include <gmock/gmock.h>

#include "tests/support/environment_variables.h"
#include "tests/unit/platform/scratch_folder.h"

namespace fuselab::platform {
namespace {

using testing::HasSubstr;

constexpr const char* kParams = "proc/driver/nvidia/params";
constexpr const char* kStatus = "proc/self/status";
constexpr const char* kParanoid = "proc/sys/kernel/perf_event_paranoid";
constexpr const char* kAdmin = "Name:\tx\nCapEff:\t0000000000200000\n";    // CAP_SYS_ADMIN alone
constexpr const char* kPerfmon = "Name:\tx\nCapEff:\t0000004000000000\n";  // CAP_PERFMON alone
constexpr const char* kUser = "Name:\tx\nCapEff:\t0000000000000000\n";

TEST(CounterPermission, OfAGpuEveryUserMayWhereTheDriverIsOpen) {
  const ScratchFolder root;
  root.write(kParams, "ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: 0\n");
  root.write(kStatus, kUser);
  const CounterPermission permission = nvidia_counter_permission(root.path());
  EXPECT_TRUE(permission.is_given);
  EXPECT_EQ(permission.text(), "every user may read them (RmProfilingAdminOnly: 0)");
}

TEST(CounterPermission, OfAGpuAdministratorsMayAndOthersAreToldHow) {
  const ScratchFolder root;
  root.write(kParams, "RmProfilingAdminOnly: 1\n");
  root.write(kStatus, kUser);
  const CounterPermission refused = nvidia_counter_permission(root.path());
  EXPECT_FALSE(refused.is_given);
  EXPECT_THAT(refused.text(), HasSubstr("options nvidia NVreg_RestrictProfilingToAdminUsers=0"));
  root.write(kStatus, kPerfmon);
  EXPECT_THAT(nvidia_counter_permission(root.path()).found, HasSubstr("CAP_PERFMON does not suffice"));
  root.write(kStatus, kAdmin);
  EXPECT_TRUE(nvidia_counter_permission(root.path()).is_given);
  EXPECT_EQ(nvidia_counter_permission(root.path()).advice, "");
}

TEST(CounterPermission, WithoutADriversFilesNothingIsKnown) {
  const ScratchFolder root;
  const CounterPermission permission = nvidia_counter_permission(root.path());
  EXPECT_FALSE(permission.is_given);
  EXPECT_THAT(permission.text(), HasSubstr("not known"));
}

TEST(CounterPermission, ADividedGpuIsSaid) {
  const ScratchFolder root;
  root.write(kParams, "RmProfilingAdminOnly: 0\n");
  root.write("proc/driver/nvidia/capabilities/gpu0/mig/config", "");
  EXPECT_THAT(nvidia_counter_permission(root.path()).found, testing::Not(HasSubstr("MIG")));
  root.write("proc/driver/nvidia/capabilities/gpu0/mig/gi1/access", "");
  EXPECT_THAT(nvidia_counter_permission(root.path()).found, HasSubstr("MIG"));
}

TEST(CounterPermission, AnotherProfilerIsNamed) {
  const ScratchFolder root;
  root.write(kParams, "RmProfilingAdminOnly: 0\n");
  test::Variables variables;
  variables.set("CUDA_INJECTION64_PATH", "/opt/nsight/libinjection.so");
  const CounterPermission permission = nvidia_counter_permission(root.path());
  EXPECT_FALSE(permission.is_given);
  EXPECT_THAT(permission.text(), HasSubstr("/opt/nsight/libinjection.so"));
}

TEST(CounterPermission, OfTheProcessorTheKernelsLevelDecides) {
  const ScratchFolder root;
  EXPECT_FALSE(processor_counter_permission(root.path()).is_given);
  root.write(kStatus, kUser);
  root.write(kParanoid, "2\n");
  EXPECT_TRUE(processor_counter_permission(root.path()).is_given);
  root.write(kParanoid, "3\n");
  EXPECT_FALSE(processor_counter_permission(root.path()).is_given);
  EXPECT_THAT(processor_counter_permission(root.path()).text(), HasSubstr("sysctl kernel.perf_event_paranoid=2"));
  root.write(kStatus, kPerfmon);
  EXPECT_TRUE(processor_counter_permission(root.path()).is_given) << "its right overrules the level";
}

}  // namespace
}  // namespace fuselab::platform
