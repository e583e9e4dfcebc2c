// SPDX-License-Identifier: Apache-2.0
#include "app/engine/workers/cpu_reservation.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

namespace fuselab::engine {
namespace {

TEST(CpuReservation, KeepsCompilersOffWhileSomethingIsTimed) {
  CpuReservation reservation;
  std::atomic<int> compiling = 0;
  std::atomic<int> timing = 0;
  std::atomic<int> overlaps = 0;
  std::atomic<int> most_compiling = 0;
  const auto compile = [&] {
    for (int i = 0; i < 50; ++i) {
      const CpuReservation::Beside beside(reservation, {});
      const int now = ++compiling;
      int seen = most_compiling;
      while (now > seen && !most_compiling.compare_exchange_weak(seen, now)) {
      }
      if (timing != 0) ++overlaps;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      --compiling;
    }
  };
  const auto time = [&] {
    for (int i = 0; i < 20; ++i) {
      const CpuReservation::Alone alone(reservation, {});
      if (++timing != 1 || compiling != 0) ++overlaps;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      --timing;
    }
  };
  { const std::jthread a(compile), b(compile), c(time), d(time); }
  EXPECT_EQ(overlaps, 0);
  EXPECT_GT(most_compiling, 1);  // compilers do run beside each other
}

TEST(CpuReservation, GivesUpWaitingWhenStopped) {
  CpuReservation reservation;
  std::optional<CpuReservation::Beside> compiler(std::in_place, reservation, std::stop_token());
  std::stop_source stop;
  const std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stop.request_stop();
  });
  {
    const CpuReservation::Alone timing(reservation, stop.get_token());
    EXPECT_FALSE(timing.held());
  }
  const CpuReservation::Beside another(reservation, {});  // the one that gave up blocks nobody
  EXPECT_TRUE(another.held());
  compiler.reset();
}

}  // namespace
}  // namespace fuselab::engine
