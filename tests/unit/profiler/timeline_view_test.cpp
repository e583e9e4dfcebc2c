// SPDX-License-Identifier: Apache-2.0
// What was recorded over time, in words, and joined to machine code.
#include "app/views/timeline_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/output/profiles/profile_text.h"
#include "profiler/device/device_places.h"
#include "tests/support/sample_timelines.h"

namespace fuselab::engine {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

Profile recorded() {
  Profile profile;
  profile.trace = test::sample_trace();
  profile.series = test::sample_series();
  profile.samples = test::sample_samples();
  profile.code.functions = {{0, "row", 2, 32, {}}};
  profile.code.code = {{0, 0x10, "MOV R1, R2", 3, -1, 0, 0, 0, "row"}, {0, 0x20, "LDG.E R4, [R2]", 4, -1, 0, 0, 0, "row"}};
  return profile;
}

TEST(TimelineViews, EachKernelHasItsTimesAndTheIdleTimeBeforeIt) {
  const WordTable table = traced_words(recorded());
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_THAT(table.rows[0], ElementsAre("1", "first", "3", "2.00 µs", "2.00 µs", "2.00 µs", "998 ns", "64×1×1", "256×1×1", "40",
                                         "1024 + 2048 B"));
  EXPECT_EQ(table.rows[1][1], "second");
  EXPECT_THAT(table.rows[2][1], HasSubstr("copy, device to host, 8"));
  EXPECT_EQ(table.rows[2][0], "–");
}

TEST(TimelineViews, WhatIsLostAndWhatItCostsIsSaid) {
  const auto lines = traced_lines(recorded());
  EXPECT_THAT(lines, Contains(HasSubstr("3 runs of the plan; from the first to the last span")));
  EXPECT_THAT(lines, Contains(HasSubstr("overhead of driver and profiler beside it: 200 ns")));
  EXPECT_THAT(lines, Contains("2 records were dropped: spans are missing"));
  EXPECT_THAT(lines, Contains("1 record was without a time, and no span"));
  EXPECT_THAT(lines, Contains("1 span was joined to no launch of the plan"));
  const TracedShare share = traced_share(recorded().trace);
  EXPECT_DOUBLE_EQ(share.busy_ns + share.idle_ns, 18500.0 + 500 - 500);
  EXPECT_DOUBLE_EQ(share.busy_ns, 6 * 2000.0 + 15 + 500);
}

TEST(TimelineViews, ASeriesIsItsLeastMedianAndMost) {
  const WordTable table = series_words(recorded());
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0][1], "0.25");
  EXPECT_EQ(table.rows[0][2], "0.5");
  EXPECT_EQ(table.rows[0][3], "0.75");
  EXPECT_THAT(series_lines(recorded()), ElementsAre(HasSubstr("3 intervals of 5.00 µs over 1 run of the plan"),
                                                    HasSubstr("buffer was full"), "no device_l2_bytes: MIG"));
}

TEST(TimelineViews, SamplesAreJoinedToInstructionsAndLines) {
  Profile profile = recorded();
  const auto hits = profile::hits_of(profile.samples, profile.code);
  ASSERT_EQ(hits.size(), 1u) << "code of no step is not joined";
  EXPECT_EQ(hits[0].address, 0x20);
  EXPECT_EQ(hits[0].hits, 80);
  profile::add_lines(profile.samples, profile.code);
  EXPECT_EQ(profile.samples.places[0].line, 4);
  EXPECT_EQ(profile.samples.places[1].line, 0);
  const WordTable table = stall_words(profile, 10);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_THAT(table.rows[0],
              ElementsAre("1", "row", "20", "4", "80", "80 %", "long_scoreboard 75 %, selected 25 %", "LDG.E R4, [R2]"));
  EXPECT_THAT(stall_lines(profile), Contains("20 samples were in no kernel of the plan"));
  EXPECT_THAT(stall_lines(profile), Contains("3 samples were dropped by the device"));
  EXPECT_THAT(stall_lines(profile), testing::Not(Contains(HasSubstr("buffer was full"))));
  profile.samples.overflowed = true;
  EXPECT_THAT(stall_lines(profile), Contains("the device's buffer was full: what came later is missing"));
  profile.code.code.insert(profile.code.code.begin(), {0, 0x20, "EXIT", 9, -1, 0, 0, 0, "fold"});
  ASSERT_EQ(profile::hits_of(profile.samples, profile.code).size(), 1u);
  EXPECT_EQ(profile::hits_of(profile.samples, profile.code)[0].function, "row");
  EXPECT_EQ(stall_words(profile, 10).rows[0][7], "LDG.E R4, [R2]") << "another function has the same address";
}

TEST(TimelineViews, NothingIsSaidOfADeviceThatIsNotRecorded) {
  const Profile none;
  EXPECT_TRUE(traced_words(none).rows.empty());
  EXPECT_TRUE(traced_lines(none).empty());
  EXPECT_TRUE(series_lines(none).empty());
  EXPECT_TRUE(stall_lines(none).empty());
  Profile denied;
  denied.trace.why_not = denied.series.why_not = denied.samples.why_not = "another profiler is attached";
  EXPECT_THAT(traced_lines(denied), ElementsAre("not recorded: another profiler is attached"));
  EXPECT_THAT(series_lines(denied), ElementsAre("not sampled: another profiler is attached"));
  EXPECT_THAT(stall_lines(denied), ElementsAre("not sampled: another profiler is attached"));
}

TEST(TimelineViews, TheTextHasThemAll) {
  ProfileView view;
  view.profile = recorded();
  const std::string text = cli::profile_text(view, false, {});
  EXPECT_THAT(text, HasSubstr("On the device's own timeline"));
  EXPECT_THAT(text, HasSubstr("Counters over the time of a launch"));
  EXPECT_THAT(text, HasSubstr("Where warps are, and what they wait for"));
}

}  // namespace
}  // namespace fuselab::engine
