// SPDX-License-Identifier: Apache-2.0
#include "app/engine/subject/given_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/engine/subject/piece.h"
#include "core/graph/graph_text.h"

namespace fuselab::engine {
namespace {

using testing::HasSubstr;

wire::DescribeReply described() {
  wire::DescribeReply reply;
  EXPECT_TRUE(reply.space.add(Parameter{"threads", "", {std::int64_t{1}, std::int64_t{2}}}).ok());
  EXPECT_TRUE(reply.space.add(Parameter{"unroll", "", {std::int64_t{1}, std::int64_t{4}}}).ok());
  EXPECT_TRUE(reply.space.add(Constraint{"threads * unroll < 8", "registers"}).ok());
  reply.default_config = LaunchConfig{{"threads", std::int64_t{1}}, {"unroll", std::int64_t{1}}};
  return reply;
}

std::string refusal(const LaunchConfig& given) {
  const auto config = completed_config(given, described(), "Add on cpu:0");
  if (config.ok()) return "";
  EXPECT_EQ(config.error().code, ErrorCode::kInvalidArgument);
  return config.error().message;
}

TEST(GivenConfig, TakesTheDefaultForWhatItLeavesOut) {
  const auto config = completed_config(LaunchConfig{{"unroll", std::int64_t{4}}}, described(), "Add on cpu:0");
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config.value().text(), "threads=1,unroll=4");
}

TEST(GivenConfig, SaysWhatTheKernelTakesWhenItDoesNotFit) {
  for (const LaunchConfig& wrong : {LaunchConfig{{"lanes", std::int64_t{1}}}, LaunchConfig{{"threads", std::int64_t{3}}},
                                    LaunchConfig{{"threads", std::int64_t{2}}, {"unroll", std::int64_t{4}}}}) {
    EXPECT_THAT(refusal(wrong), HasSubstr(wrong.text()));
    EXPECT_THAT(refusal(wrong), HasSubstr("; Add on cpu:0 takes threads=1|2, unroll=1|4"));
  }
}

DeviceInfo device() {
  DeviceInfo info;
  info.id = "cpu:0";
  info.target.id = "x86-64-v3";
  info.other_targets.push_back({"x86-64", "x86-64", {}});
  return info;
}

TEST(GivenTarget, IsOneThatTheDeviceRuns) {
  EXPECT_EQ(on_target(device(), "").value().target.id, "x86-64-v3");
  EXPECT_EQ(on_target(device(), "x86-64").value().target.id, "x86-64");
  const auto refused = on_target(device(), "x86-64-v4");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(refused.error().message, "cpu:0 does not run code for x86-64-v4; it runs x86-64-v3, x86-64");
}

TEST(GivenConfig, IsForTheSubjectAsOneKernelHoweverItIsCut) {
  Subject subject;
  subject.name = "graph";
  subject.graph = parse_graph("graph(x: f32[8,8]) { s = Add(x, x); y = Relu(s); return y }").value();
  ASSERT_EQ(cut(subject, OptimizationLevel::kO0).value().pieces.size(), 2U);
  const auto whole = keep_whole(subject, OptimizationLevel::kO0);
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  ASSERT_EQ(whole.value().pieces.size(), 1U);
  EXPECT_EQ(whole.value().pieces[0].key, graph_key(subject.graph).hex());
  EXPECT_EQ(whole.value().level, "O0");
  EXPECT_GT(whole.value().pieces[0].operation.cost.flops, 0);
}

}  // namespace
}  // namespace fuselab::engine
