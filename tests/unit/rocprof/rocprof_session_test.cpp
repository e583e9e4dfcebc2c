// SPDX-License-Identifier: Apache-2.0
// The stand-in library is attached before ROCm starts; each that cannot be is refused with its reason.
#include "backends/rocm/rocprof/rocprof_session.h"

#include <gmock/gmock.h>

#include "tests/unit/rocprof/profiled_plan.h"

namespace fuselab::hip {
namespace {

using testing::HasSubstr;

class RocprofSessions : public ProfiledPlan {};

TEST_F(RocprofSessions, TellTheLibrarysVersionAndTheGpuAtAPlace) {
  const auto session = attach();
  ASSERT_TRUE(session.ok()) << session.error().message;
  EXPECT_EQ(session.value()->name(), "rocprofiler-sdk 1.0.0");
  const auto gpu = session.value()->agent_at("0000:c3:00.0");
  ASSERT_TRUE(gpu.ok()) << gpu.error().message;
  EXPECT_STREQ(gpu.value().name, "gfx942");
  EXPECT_EQ(gpu.value().compute_units, 304u);
  EXPECT_THAT(session.value()->agent_at("0000:c4:00.0").error().message, HasSubstr("sees no GPU at 0000:c4:00.0"));
  EXPECT_THAT(session.value()->agent_at("").error().message, HasSubstr("place on the PCI bus"));
}

TEST_F(RocprofSessions, ComeBeforeRocmAndBeforeOtherTools) {
  EXPECT_THAT(attach("busy").error().message, HasSubstr("another tool configured the profiler before"));
  forget();
  variables_.set("FAKE_ROCPROFILER", "");
  start_rocm();
  const auto late = RocprofSession::attach(loading::Surroundings{FAKE_ROCPROFILER_GOOD, {}});
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().code, ErrorCode::kUnavailable);
}

TEST_F(RocprofSessions, RefuseAnotherVersionAndAMissingFunction) {
  EXPECT_THAT(attach("version").error().message, HasSubstr("is rocprofiler-sdk 2.0.0, and Fuselab knows version 1"));
  EXPECT_THAT(RocprofSession::attach(loading::Surroundings{FAKE_ROCPROFILER_PARTIAL, {}}).error().message,
              HasSubstr("has no function rocprofiler_query_record_counter_id"));
  EXPECT_THAT(RocprofSession::attach(loading::Surroundings{"/nonexistent/librocprofiler-sdk.so.1", {}}).error().message,
              HasSubstr("/nonexistent/librocprofiler-sdk.so.1"));
}

TEST_F(RocprofSessions, SayWhereRocmNeverToldOfItsStart) {
  variables_.set("FAKE_ROCPROFILER", "late");
  const auto session = RocprofSession::attach(loading::Surroundings{FAKE_ROCPROFILER_GOOD, {}});
  ASSERT_TRUE(session.ok()) << session.error().message;
  EXPECT_THAT(session.value()->record([] { return Status(); }, 0).error().message, HasSubstr("did not tell it of its start"));
}

TEST_F(RocprofSessions, ACrashEndsTheProcessThatAttaches) {
  EXPECT_EXIT(static_cast<void>(attach("crash")), testing::KilledBySignal(SIGSEGV), "");
}

}  // namespace
}  // namespace fuselab::hip
