// SPDX-License-Identifier: Apache-2.0
// What a device did is recorded through a stand-in library: spans joined to their launches, what was lost, and each trouble a
// reason.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/unit/cupti/recorded_plan.h"

namespace fuselab::cuda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class CuptiActivity : public RecordedPlan {
 protected:
  Result<DeviceTrace> traced(const char* trouble, int runs = 3) {
    const auto tracer = open();
    tell(trouble);
    return tracer->trace(plan(), runs);
  }
  static std::ptrdiff_t count(const DeviceTrace& trace, const std::string& kind) {
    return std::ranges::count(trace.spans, kind, &DeviceSpan::kind);
  }
};

TEST_F(CuptiActivity, EachKernelIsJoinedToItsRunAndStep) {
  const auto made = traced("");
  ASSERT_TRUE(made.ok()) << made.error().message;
  const DeviceTrace& trace = made.value();
  EXPECT_EQ(trace.profiler, "CUPTI 13.0.1, activity records");
  EXPECT_EQ(trace.runs, 3);
  EXPECT_EQ(kernel_.launches, 6);
  EXPECT_EQ(synchronized_, 3);
  EXPECT_GT(trace.origin_ns, 0);
  std::vector<std::pair<int, int>> places;
  for (const DeviceSpan& span : trace.spans) {
    if (span.kind == "kernel") places.emplace_back(span.run, span.step);
  }
  EXPECT_THAT(places,
              ElementsAre(std::pair(0, 0), std::pair(0, 1), std::pair(1, 0), std::pair(1, 1), std::pair(2, 0), std::pair(2, 1)));
  const auto kernel = std::ranges::find(trace.spans, std::string("kernel"), &DeviceSpan::kind);
  EXPECT_EQ(kernel->label, "fake_kernel");
  EXPECT_EQ(kernel->start_ns, 500);
  EXPECT_EQ(kernel->duration_ns, 2000);
  EXPECT_EQ(kernel->stream, 7);
  EXPECT_THAT(kernel->grid, ElementsAre(64, 1, 1));
  EXPECT_THAT(kernel->block, ElementsAre(256, 1, 1));
  EXPECT_EQ(kernel->registers, 40);
  EXPECT_EQ(kernel->static_shared, 1024);
  EXPECT_EQ(kernel->dynamic_shared, 2048);
  EXPECT_EQ(kernel->local, 16);
  EXPECT_TRUE(std::ranges::is_sorted(trace.spans, {}, &DeviceSpan::start_ns));
}

TEST_F(CuptiActivity, CopiesLaunchesAndOverheadAreSpansOfTheirOwn) {
  const auto made = traced("");
  ASSERT_TRUE(made.ok());
  const DeviceTrace& trace = made.value();
  EXPECT_EQ(count(trace, "launch"), 6);
  EXPECT_EQ(count(trace, "memset"), 1);
  const auto copy = std::ranges::find(trace.spans, std::string("copy"), &DeviceSpan::kind);
  ASSERT_NE(copy, trace.spans.end());
  EXPECT_EQ(copy->label, "device to host");
  EXPECT_EQ(copy->bytes, 8192);
  EXPECT_EQ(copy->step, -1);
  const auto overhead = std::ranges::find(trace.spans, std::string("overhead"), &DeviceSpan::kind);
  ASSERT_NE(overhead, trace.spans.end());
  EXPECT_EQ(overhead->label, "emptying CUPTI's buffers");
  EXPECT_EQ(trace.dropped, 0);
  EXPECT_EQ(trace.untimed, 0);
}

TEST_F(CuptiActivity, NothingIsRecordedLater) {
  ASSERT_TRUE(traced("").ok());
  EXPECT_EQ(said(), "subscribe unsubscribe");
  EXPECT_EQ(number("fake_cupti_kinds"), 0);
  ASSERT_TRUE(traced("").ok()) << "again, in the same process";
}

TEST_F(CuptiActivity, ManyRecordsFillManyBuffers) {
  const auto made = traced("many", 1);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(count(made.value(), "kernel"), 40'000);
  EXPECT_EQ(made.value().dropped, 0);
}

TEST_F(CuptiActivity, WhatDoesNotFitIsCounted) {
  const auto made = traced("many", 9);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_GT(made.value().dropped, 0) << "64 buffers of 1 MiB were full";
  // 18 launches of 20,000 kernels, a call and what joins them, and three records at the end. What joins is no span.
  const auto known = static_cast<std::int64_t>(made.value().spans.size()) + made.value().dropped;
  EXPECT_LE(known, 18 * 20'002 + 3);
  EXPECT_GE(known, 18 * 20'001 + 3);
}

TEST_F(CuptiActivity, WhatIsLostIsSaid) {
  const auto lost = traced("lost");
  ASSERT_TRUE(lost.ok());
  EXPECT_EQ(lost.value().dropped, 5);
  EXPECT_EQ(count(lost.value(), "kernel"), 6) << "the others are kept";
  const auto untimed = traced("untimed");
  ASSERT_TRUE(untimed.ok());
  EXPECT_EQ(untimed.value().untimed, 6);
  EXPECT_EQ(count(untimed.value(), "kernel"), 0);
  const auto unjoined = traced("unjoined");
  ASSERT_TRUE(unjoined.ok());
  EXPECT_TRUE(std::ranges::all_of(unjoined.value().spans, [](const DeviceSpan& span) { return span.step == -1; }));
}

TEST_F(CuptiActivity, WhatEndsBehindTheFirstFlushIsNotLost) {
  const auto late = traced("late");
  ASSERT_TRUE(late.ok()) << late.error().message;
  EXPECT_EQ(count(late.value(), "copy"), 2);
  EXPECT_EQ(count(late.value(), "memset"), 1);
}

TEST_F(CuptiActivity, TroublesAreReasons) {
  const auto attached = traced("attached");
  ASSERT_FALSE(attached.ok());
  EXPECT_EQ(attached.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(attached.error().message, HasSubstr("another profiler is attached, Nsight Systems"));
  EXPECT_EQ(kernel_.launches, 0);
  kernel_.fails = true;
  EXPECT_THAT(traced("").error().message, HasSubstr("the launch failed"));
  EXPECT_EQ(number("fake_cupti_kinds"), 0);
  EXPECT_THAT(open_cupti_tracer(loading::Surroundings{"/nonexistent/libcupti.so", {}}, this, 0, {}).error().message,
              HasSubstr("/nonexistent/libcupti.so"));
}

TEST_F(CuptiActivity, ACrashEndsTheProcessThatRecords) {
  const auto tracer = open();
  variables_.set("FAKE_CUPTI", "crash");
  EXPECT_EXIT(static_cast<void>(tracer->trace(plan(), 1)), testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(CuptiActivity, TheFirstVersionOfSubscribeIsTaken) {
  const auto tracer = open(FAKE_CUPTI_FIRST);
  const auto made = tracer->trace(plan(), 1);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(count(made.value(), "kernel"), 2);
  variables_.set("FAKE_CUPTI", "attached");
  EXPECT_THAT(tracer->trace(plan(), 1).error().message, HasSubstr("another profiler is attached"));
}

TEST_F(CuptiActivity, TheSecondVersionOfEnableIsTaken) {
  const auto tracer = open(FAKE_CUPTI_SECOND);
  const auto made = tracer->trace(plan(), 1);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(count(made.value(), "kernel"), 2);
}

}  // namespace
}  // namespace fuselab::cuda
