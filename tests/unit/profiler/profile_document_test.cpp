// SPDX-License-Identifier: Apache-2.0
#include "app/engine/profile/profile_document.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/fields/json_reader.h"
#include "core/fields/json_writer.h"
#include "tests/support/recorded_text.h"
#include "tests/support/sample_timelines.h"

namespace fuselab {
namespace {

TEST(ProfileJson, ThePublishedSchemaIsOfItsFields) {
  test::expect_as_recorded(std::string(FUSELAB_SCHEMAS) + "/results/profile.schema.json", engine::profile_schema().dump(2) + "\n");
}

TEST(ProfileJson, AProfileComesBackAsItWas) {
  Profile profile;
  profile.trial_id = "t";
  profile.verdict = {Bound::kSpills, "here", Certainty::kLikely, "text", {{Bound::kCache, "L2", 0.5, {"e"}, {"roofline"}}},
                     {"look"}};
  profile.counters.metrics = {{"cycles", 1.5, "", "s", 0.5, true}, {"flops", std::nullopt, "why", "s", 1, false}};
  profile.trace = test::sample_trace();
  profile.series = test::sample_series();
  profile.samples = test::sample_samples();
  profile.code.loops.resize(1);
  profile.code.loops[0].lines = {{3, 4}};
  profile.code.loops[0].prediction = LoopPrediction{"m", "z", 2, 1, 3, 0.5, 0.25, "p", 1.5};
  profile.split.parts = {{"launches", 1, "launches", std::nullopt, "t", "r"}};
  const auto json = fields::json_of<nlohmann::json>(profile);
  Profile read;
  ASSERT_TRUE(fields::read_fields(json, read).ok());
  EXPECT_EQ(fields::json_of<nlohmann::json>(read), json);
  EXPECT_EQ(read.verdict.bound, Bound::kSpills);
  EXPECT_FALSE(read.counters.metrics[1].value);
  EXPECT_FALSE(read.split.parts[0].saved_ns);
}

TEST(ProfileJson, ForeignWordsAreRefused) {
  auto json = fields::json_of<nlohmann::json>(Profile());
  json["verdict"]["bound"] = "magic";
  Profile read;
  EXPECT_FALSE(fields::read_fields(json, read).ok());
  EXPECT_FALSE(parse_certainty("maybe").ok());
}

}  // namespace
}  // namespace fuselab
