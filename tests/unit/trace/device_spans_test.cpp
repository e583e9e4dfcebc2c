// SPDX-License-Identifier: Apache-2.0
#include "profiler/trace/device_spans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/support/sample_timelines.h"

namespace fuselab::profile {
namespace {

using testing::Contains;
using testing::Pair;

TEST(DeviceSpans, LieOnTheHostsClockInLanesOfTheDevice) {
  const DeviceTrace trace = test::sample_trace();
  const std::vector<TraceSpan> spans = spans_of(trace, "cuda:0", "5bb59fb5");
  ASSERT_EQ(spans.size(), trace.spans.size());
  std::set<std::string> lanes;
  for (const TraceSpan& span : spans) {
    EXPECT_EQ(span.track.process, "cuda:0 on its own clock");
    lanes.insert(span.track.thread);
  }
  EXPECT_EQ(lanes, (std::set<std::string>{"launches by the host", "overhead", "stream 7", "stream 8"}));
  const TraceSpan& kernel = spans[1];
  EXPECT_EQ(kernel.name, "first");
  EXPECT_EQ(kernel.category, "kernel");
  EXPECT_DOUBLE_EQ(kernel.start.count, 1e9 + 500);
  EXPECT_DOUBLE_EQ(kernel.duration.count, 2000);
  EXPECT_THAT(kernel.arguments, Contains(Pair("trial", "5bb59fb5")));
  EXPECT_THAT(kernel.arguments, Contains(Pair("run", "1")));
  EXPECT_THAT(kernel.arguments, Contains(Pair("step", "1")));
  EXPECT_THAT(kernel.arguments, Contains(Pair("grid", "64x1x1")));
  EXPECT_THAT(kernel.arguments, Contains(Pair("registers", "40")));
  EXPECT_THAT(kernel.arguments, Contains(Pair("shared bytes", "1024 + 2048")));
  EXPECT_THAT(spans.back().arguments, Contains(Pair("bytes", "8192")));
}

}  // namespace
}  // namespace fuselab::profile
