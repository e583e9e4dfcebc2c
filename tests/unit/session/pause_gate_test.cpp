// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>

#include "app/session/job_context.h"

namespace fuselab::session {
namespace {

TEST(PauseGate, SaysHowLongItKeptItsCallersWaiting) {
  PauseGate gate;
  gate.pass({});
  EXPECT_EQ(gate.paused_seconds(), 0) << "it was open";

  gate.close();
  std::jthread const opener([&] {
    while (!gate.holds()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    gate.open();
  });
  gate.pass({});
  double const paused = gate.paused_seconds();
  EXPECT_GT(paused, 0.02);
  gate.pass({});
  EXPECT_EQ(gate.paused_seconds(), paused);
}

TEST(PauseGate, HoldsNobodyBeforeSomebodyComes) {
  PauseGate gate;
  gate.close();
  EXPECT_FALSE(gate.holds()) << "a block still runs";
  std::jthread const comer([&gate](const std::stop_token& stop) { gate.pass(stop); });
  for (int look = 0; look < 12'000 && !gate.holds(); ++look) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_TRUE(gate.holds());
  gate.open();
  EXPECT_FALSE(gate.holds());
}

TEST(PauseGate, LetsAStoppedCallerThrough) {
  PauseGate gate;
  gate.close();
  std::stop_source source;
  source.request_stop();
  gate.pass(source.get_token());
  EXPECT_TRUE(gate.closed());
}

}  // namespace
}  // namespace fuselab::session
