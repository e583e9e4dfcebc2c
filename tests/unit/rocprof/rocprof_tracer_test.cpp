// SPDX-License-Identifier: Apache-2.0
// What an AMD GPU did is recorded through a stand-in library: spans joined to their launches, what was lost, and each trouble a
// reason.
#include "backends/rocm/rocprof/rocprof_tracer.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/unit/rocprof/profiled_plan.h"

namespace fuselab::hip {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RocprofTracer : public ProfiledPlan {
 protected:
  Result<DeviceTrace> traced(const char* trouble, int runs = 3) {
    FL_TRY(std::shared_ptr<RocprofSession> session, attach(trouble));
    return make_rocprof_tracer(std::move(session), synchronize_)->trace(plan(), runs);
  }
  static std::ptrdiff_t count(const DeviceTrace& trace, const std::string& kind) {
    return std::ranges::count(trace.spans, kind, &DeviceSpan::kind);
  }
};

TEST_F(RocprofTracer, EachKernelIsJoinedToItsRunAndStep) {
  const auto made = traced("");
  ASSERT_TRUE(made.ok()) << made.error().message;
  const DeviceTrace& trace = made.value();
  EXPECT_EQ(trace.profiler, "rocprofiler-sdk 1.0.0, dispatch records");
  EXPECT_EQ(trace.runs, 3);
  EXPECT_EQ(kernel_.launches, 6);
  EXPECT_EQ(synchronized_, 3);
  EXPECT_GT(trace.origin_ns, 0);
  EXPECT_EQ(trace.dropped, 0);
  EXPECT_EQ(trace.untimed, 0);
  std::vector<std::pair<int, int>> kernels, launches;
  for (const DeviceSpan& span : trace.spans) {
    if (span.kind == "kernel") kernels.emplace_back(span.run, span.step);
    if (span.kind == "launch") launches.emplace_back(span.run, span.step);
  }
  EXPECT_THAT(kernels,
              ElementsAre(std::pair(0, 0), std::pair(0, 1), std::pair(1, 0), std::pair(1, 1), std::pair(2, 0), std::pair(2, 1)));
  EXPECT_EQ(launches, kernels);
  const auto kernel = std::ranges::find(trace.spans, std::string("kernel"), &DeviceSpan::kind);
  EXPECT_EQ(kernel->label, "fake_kernel") << "the name of its descriptor ends in .kd";
  EXPECT_EQ(kernel->start_ns, 500);
  EXPECT_EQ(kernel->duration_ns, 2000);
  EXPECT_EQ(kernel->stream, 7);
  EXPECT_THAT(kernel->grid, ElementsAre(64, 2, 1)) << "blocks; the library tells work-items";
  EXPECT_THAT(kernel->block, ElementsAre(256, 1, 1));
  EXPECT_EQ(kernel->registers, 64) << "40 and 24 accumulators";
  EXPECT_EQ(kernel->static_shared, 1024);
  EXPECT_EQ(kernel->dynamic_shared, 2048);
  EXPECT_EQ(kernel->local, 16);
  EXPECT_TRUE(std::ranges::is_sorted(trace.spans, {}, &DeviceSpan::start_ns));
  const auto copy = std::ranges::find(trace.spans, std::string("copy"), &DeviceSpan::kind);
  ASSERT_NE(copy, trace.spans.end());
  EXPECT_EQ(copy->label, "device to host");
  EXPECT_EQ(copy->bytes, 8192);
  EXPECT_EQ(copy->step, -1);
}

TEST_F(RocprofTracer, TheToolIsInitialisedNowOrWhenRocmStarts) {
  const auto made = traced("late");
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(count(made.value(), "kernel"), 6);
}

TEST_F(RocprofTracer, RecordsThatComeLaterAreWaitedFor) {
  const auto made = traced("slow");
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(count(made.value(), "kernel"), 6);
  EXPECT_EQ(made.value().dropped, 0);
}

TEST_F(RocprofTracer, WhatIsLostIsSaid) {
  const auto lost = traced("lost");
  ASSERT_TRUE(lost.ok());
  EXPECT_EQ(lost.value().dropped, 5);
  EXPECT_EQ(count(lost.value(), "kernel"), 6) << "the others are kept";
  const auto untimed = traced("untimed");
  ASSERT_TRUE(untimed.ok());
  EXPECT_EQ(untimed.value().untimed, 6);
  EXPECT_EQ(count(untimed.value(), "kernel"), 0);
  const auto brief = traced("short", 1);
  ASSERT_TRUE(brief.ok());
  EXPECT_EQ(count(brief.value(), "kernel"), 0) << "a record of another layout is not read";
  EXPECT_EQ(brief.value().dropped, 2);
}

TEST_F(RocprofTracer, AFailedLaunchEndsTheRecording) {
  kernel_.fails = true;
  EXPECT_THAT(traced("").error().message, HasSubstr("the launch failed"));
  kernel_.fails = false;
  EXPECT_EQ(count(traced("").value(), "kernel"), 6) << "again, in the same process";
}

TEST_F(RocprofTracer, TroublesAreReasons) {
  EXPECT_THAT(traced("taken").error().message, HasSubstr("another tool has the profiler of this process (code 15)"));
  EXPECT_THAT(traced("old").error().message, HasSubstr("the amdgpu driver is too old for it: update the driver (code 28)"));
  EXPECT_EQ(kernel_.launches, 0);
  const auto denied = traced("denied");
  ASSERT_TRUE(denied.ok()) << "tracing works where counting is not permitted: " << denied.error().message;
  EXPECT_EQ(count(denied.value(), "kernel"), 6);
}

TEST_F(RocprofTracer, OtherThingsOverTimeAreNotRecorded) {
  const auto session = attach();
  ASSERT_TRUE(session.ok());
  const auto tracer = make_rocprof_tracer(session.value(), synchronize_);
  EXPECT_EQ(tracer->sample_counters(plan(), 1000).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(tracer->sample_code(plan(), {}).error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace fuselab::hip
