// SPDX-License-Identifier: Apache-2.0
#include "app/gate/judge/timers_used.h"

#include <gtest/gtest.h>

#include "core/measure/timer_cost.h"

namespace fuselab::engine {
namespace {

void add_compared(std::vector<ReplaySpec>& plans, std::vector<CheckedCase>& cases, const std::string& device, double overhead_ns,
                  bool synthetic = false) {
  plans.emplace_back().device.synthetic = synthetic;
  CheckedCase& made = cases.emplace_back();
  made.outcome.device = device;
  ReplayedProcess process;
  process.conditions.timer.overhead = {overhead_ns};
  process.conditions.timer.timings = 301;
  made.first.emplace().processes = {process};
}

TEST(TimersUsed, AreToldOncePerDeviceThatWasComparedOn) {
  std::vector<ReplaySpec> plans;
  std::vector<CheckedCase> cases;
  add_compared(plans, cases, "cpu:0", 30);
  add_compared(plans, cases, "cpu:0", 40);
  add_compared(plans, cases, "opencl:0", 900);
  add_compared(plans, cases, "null:0", 1, /*synthetic=*/true);
  plans.emplace_back();
  cases.emplace_back().outcome.device = "cuda:0";  // nothing was compared there
  const auto told = timers_used(plans, cases);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].first, "timer of cpu:0");
  EXPECT_EQ(told[0].second, timer_text(cases[0].first->processes[0].conditions.timer));
  EXPECT_EQ(told[1].first, "timer of opencl:0");
}

}  // namespace
}  // namespace fuselab::engine
