// SPDX-License-Identifier: Apache-2.0
#include "app/session/cpu_gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

namespace fuselab::session {
namespace {

TEST(CpuGate, KeepsCompilersOffWhileSomethingIsTimed) {
  CpuGate gate;
  std::atomic<int> compiling = 0;
  std::atomic<int> timing = 0;
  std::atomic<int> overlaps = 0;
  std::atomic<int> most_compiling = 0;
  auto const compile = [&] {
    for (int i = 0; i < 50; ++i) {
      CpuGate::Beside const beside(gate, {});
      int const now = ++compiling;
      int seen = most_compiling;
      while (now > seen && !most_compiling.compare_exchange_weak(seen, now)) {
      }
      if (timing != 0) ++overlaps;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      --compiling;
    }
  };
  auto const time = [&] {
    for (int i = 0; i < 20; ++i) {
      CpuGate::Alone const alone(gate, {});
      if (++timing != 1 || compiling != 0) ++overlaps;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      --timing;
    }
  };
  { std::jthread const a(compile), b(compile), c(time), d(time); }
  EXPECT_EQ(overlaps, 0);
  EXPECT_GT(most_compiling, 1);  // compilers do run beside each other
}

TEST(CpuGate, GivesUpWaitingWhenStopped) {
  CpuGate gate;
  std::optional<CpuGate::Beside> compiler(std::in_place, gate, std::stop_token());
  std::stop_source stop;
  std::jthread const stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stop.request_stop();
  });
  {
    CpuGate::Alone const timing(gate, stop.get_token());
    EXPECT_FALSE(timing.held());
  }
  CpuGate::Beside const another(gate, {});  // the one that gave up blocks nobody
  EXPECT_TRUE(another.held());
  compiler.reset();
}

}  // namespace
}  // namespace fuselab::session
