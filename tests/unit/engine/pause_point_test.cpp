// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>

#include "app/engine/job/job_context.h"

namespace fuselab::engine {
namespace {

TEST(PausePoint, SaysHowLongItKeptItsCallersWaiting) {
  PausePoint point;
  point.pass({});
  EXPECT_EQ(point.paused_seconds(), 0) << "it was open";

  point.close();
  const std::jthread opener([&] {
    while (!point.holds()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    point.open();
  });
  point.pass({});
  const double paused = point.paused_seconds();
  EXPECT_GT(paused, 0.02);
  point.pass({});
  EXPECT_EQ(point.paused_seconds(), paused);
}

TEST(PausePoint, HoldsNobodyBeforeSomebodyComes) {
  PausePoint point;
  point.close();
  EXPECT_FALSE(point.holds()) << "a block still runs";
  const std::jthread comer([&point](const std::stop_token& stop) { point.pass(stop); });
  for (int look = 0; look < 12'000 && !point.holds(); ++look) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_TRUE(point.holds());
  point.open();
  EXPECT_FALSE(point.holds());
}

TEST(PausePoint, LetsAStoppedCallerThrough) {
  PausePoint point;
  point.close();
  std::stop_source source;
  source.request_stop();
  point.pass(source.get_token());
  EXPECT_TRUE(point.closed());
}

}  // namespace
}  // namespace fuselab::engine
