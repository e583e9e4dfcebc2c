// SPDX-License-Identifier: Apache-2.0
#include "app/engine/kernels/compile_only.h"

#include <gtest/gtest.h>

#include "core/kernel/virtual_target.h"

namespace fuselab::engine {
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

CompiledConfig predicted(std::int64_t number, std::int64_t threads, ResourceUsage resources, const char* target = "sm_90") {
  CompiledConfig made = config(number, std::move(resources));
  KernelAbi abi;
  abi.block_x.text = std::to_string(threads);
  abi.shared_bytes.text = "4096";
  predict(made, abi, virtual_target(target).value().target);
  return made;
}

TEST(CompileOnly, SaysWhatWouldNotLaunchAndRanksItBehindWhatSpills) {
  const CompiledConfig runs = predicted(1, 256, {{"registers", 64}, {"shared_bytes", 4096}});
  EXPECT_DOUBLE_EQ(runs.occupancy.value(), 0.5);
  EXPECT_EQ(runs.problem, "");
  EXPECT_EQ(runs.resources.at("shared_bytes"), 4096) << "declared in the kernel, not asked for on top";
  const CompiledConfig spills = predicted(2, 256, {{"registers", 255}, {"shared_bytes", 4096}, {"spill_bytes", 8}});
  EXPECT_EQ(spills.problem, "spills 8 bytes");
  const CompiledConfig too_big = predicted(3, 1024, {{"registers", 96}, {"shared_bytes", 4096}});
  EXPECT_EQ(too_big.problem,
            "would not launch: a block of 1024 threads with 96 registers each needs more registers than sm_90 has");
  EXPECT_EQ(order_of({too_big, spills, runs}), (std::vector<std::int64_t>{1, 2, 3}));
}

TEST(CompileOnly, KnowsNoOccupancyWithoutRegistersOrAMultiprocessor) {
  EXPECT_FALSE(predicted(1, 256, {{"code_bytes", 4096}}).occupancy.has_value());
  EXPECT_FALSE(predicted(1, 1, {{"registers", 32}}, "x86-64-v3").occupancy.has_value());
}

TEST(CompileOnly, RanksByCodeWhereNothingElseIsKnown) {
  EXPECT_EQ(order_of({config(1, {{"code_bytes", 900}}), config(2, {{"code_bytes", 300}}), config(3, {{"code_bytes", 300}})}),
            (std::vector<std::int64_t>{2, 3, 1}));
}

TEST(CompileOnly, RefusesATargetThatNobodyKnowsAndSaysWhichThereAre) {
  CompileOnlySpec spec;
  spec.subjects = {"w5"};
  spec.target = "sm_9000";
  const auto report = compile_only({}, spec);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::kNotFound);
  EXPECT_NE(report.error().message.find("sm_90"), std::string::npos);
}

}  // namespace
}  // namespace fuselab::engine
