// SPDX-License-Identifier: Apache-2.0
#include "app/engine/execute/execution_metrics.h"

#include <gmock/gmock.h>

#include <thread>

namespace fuselab::engine {
namespace {

using testing::HasSubstr;

double g_now = 0;

Nanoseconds scripted_clock() {
  return {g_now};
}

TEST(ExecutionMetricsTimer, TimesEachPhaseAndTheWhole) {
  g_now = 1000;
  ExecutionMetrics metrics;
  {
    ExecutionMetricsTimer timer(metrics, &scripted_clock);
    timer.start_compilation();
    g_now += 100;
    timer.start_transfer();
    g_now += 20;
    timer.start_execution();
    g_now += 300;
    timer.start_transfer();
    g_now += 30;
    timer.stop();
    g_now += 50;
  }
  EXPECT_EQ(metrics.compilation, Nanoseconds{100});
  EXPECT_EQ(metrics.transfer, Nanoseconds{50});
  EXPECT_EQ(metrics.execution, Nanoseconds{300});
  EXPECT_EQ(metrics.total, Nanoseconds{500});
  EXPECT_DOUBLE_EQ(metrics.efficiency(), 0.6);
  EXPECT_TRUE(metrics.success);
}

TEST(ExecutionMetricsTimer, AHitHasNoCompilationAndAnErrorNoSuccess) {
  g_now = 0;
  ExecutionMetrics metrics;
  {
    ExecutionMetricsTimer timer(metrics, &scripted_clock);
    timer.start_compilation();
    g_now += 10;
    timer.mark_cache_hit();
    g_now += 10;
    timer.record_error("the device is gone");
  }
  EXPECT_TRUE(metrics.cache_hit);
  EXPECT_EQ(metrics.compilation, Nanoseconds{});
  EXPECT_FALSE(metrics.success);
  EXPECT_EQ(metrics.total, Nanoseconds{20});
}

TEST(ExecutionMetrics, SayAllInOneLine) {
  ExecutionMetrics metrics{"cpu", "cpu:0", {0}, {2e6}, {6e6}, {1e6}, {1e7}, 1'000'000, {4 << 20}, true, true, ""};
  EXPECT_DOUBLE_EQ(metrics.throughput(), 1e8);
  const std::string text = metrics_text(metrics);
  for (const char* const part : {"cpu:0: 1000000 elements", "total 10.0 ms", "execution 6.00 ms", "transfer 2.00 ms", "(kept)",
                                 "efficiency 60 %", "100 M elements/s", "waited for others 1.00 ms"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_THAT(text, Not(HasSubstr("buffers")));
  metrics.buffers = 3;
  metrics.tensors = 7;
  metrics.memory_unshared = {16 << 20};
  EXPECT_THAT(metrics_text(metrics), HasSubstr("memory 4.00 MiB (3 buffers for 7 tensors of 16.0 MiB)"));
  metrics.success = false;
  metrics.error = "no memory";
  EXPECT_THAT(metrics_text(metrics), HasSubstr("failed: no memory"));
}

TEST(ExecutionMetrics, KeepFirstLaunchesApart) {
  ExecutionMetrics metrics{"opencl", "opencl:0", {0}, {2e6}, {0}, {0}, {2e8}, 1'000'000, {4 << 20}, true, true, ""};
  metrics.first_launch = {1.5e8};
  EXPECT_THAT(metrics_text(metrics), HasSubstr("first launches 150 ms, transfer"));
  EXPECT_THAT(metrics_text(metrics), Not(HasSubstr("execution")));
  EXPECT_THAT(metrics_text(metrics), Not(HasSubstr("efficiency")));
  metrics.execution = {1e6};
  EXPECT_THAT(metrics_text(metrics), HasSubstr("first launches 150 ms, execution 1.00 ms"));
}

TEST(ExecutionCounts, AreCompleteWhoeverAdds) {
  ExecutionCounts counts;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&] {
        for (int i = 0; i < 500; ++i) {
          ExecutionMetrics metrics;
          metrics.backend = "cpu";
          metrics.execution = {2};
          metrics.success = i % 5 != 0;
          counts.add(metrics);
          if (i % 5 == 0) counts.add_degradation("cpu", "opencl");
        }
      });
    }
  }
  const auto snapshot = counts.snapshot();
  EXPECT_EQ(snapshot.at("cpu").executions, 2000);
  EXPECT_EQ(snapshot.at("cpu").failures, 400);
  EXPECT_EQ(snapshot.at("cpu").left, 400);
  EXPECT_EQ(snapshot.at("opencl").taken, 400);
  EXPECT_DOUBLE_EQ(snapshot.at("cpu").success_rate(), 0.8);
  EXPECT_EQ(snapshot.at("cpu").execution, Nanoseconds{4000});
  EXPECT_EQ(snapshot.at("opencl").success_rate(), 1) << "nothing failed there";
}

}  // namespace
}  // namespace fuselab::engine
