// SPDX-License-Identifier: Apache-2.0
#include "app/session/compile_only.h"

#include <gtest/gtest.h>

namespace fuselab::session {
namespace {

CompiledConfig config(std::int64_t number, ResourceUsage resources, std::optional<double> occupancy = std::nullopt) {
  CompiledConfig made;
  made.config.set("n", number);
  made.resources = std::move(resources);
  made.occupancy = occupancy;
  return made;
}

std::vector<std::int64_t> order_of(std::vector<CompiledConfig> configs) {
  rank(configs);
  std::vector<std::int64_t> order;
  for (const CompiledConfig& each : configs) order.push_back(each.config.integer("n", -1));
  return order;
}

TEST(CompileOnly, RanksSpillsBeforeOccupancyBeforeRegistersBeforeSharedMemoryBeforeCode) {
  CompiledConfig spills = config(1, {{"spill_bytes", 8}, {"registers", 32}}, 1.0);
  spills.problem = "spills 8 bytes";
  CompiledConfig failed = config(2, {});
  failed.failure = "it does not compile";
  EXPECT_EQ(order_of({failed, spills, config(3, {{"registers", 64}}, 0.5), config(4, {{"registers", 40}}, 0.75),
                      config(5, {{"registers", 32}, {"shared_bytes", 4096}}, 1.0), config(6, {{"registers", 32}}, 1.0),
                      config(7, {{"registers", 24}}, 1.0)}),
            (std::vector<std::int64_t>{7, 6, 5, 4, 3, 1, 2}));
}

TEST(CompileOnly, RanksByCodeWhereNothingElseIsKnown) {
  EXPECT_EQ(order_of({config(1, {{"code_bytes", 900}}), config(2, {{"code_bytes", 300}}), config(3, {{"code_bytes", 300}})}),
            (std::vector<std::int64_t>{2, 3, 1}));
}

TEST(CompileOnly, RefusesATargetThatNobodyKnowsAndSaysWhichThereAre) {
  CompileOnlySpec spec;
  spec.subjects = {"w5"};
  spec.target = "sm_9000";
  auto const report = compile_only({}, spec);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::kNotFound);
  EXPECT_NE(report.error().message.find("sm_90"), std::string::npos);
}

}  // namespace
}  // namespace fuselab::session
