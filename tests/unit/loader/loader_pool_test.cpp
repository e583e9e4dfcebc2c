// SPDX-License-Identifier: Apache-2.0
// The threads that share out a kernel's parts: each part runs once, before the call returns, whoever sleeps meanwhile.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

extern "C" {
#include "resources/loader/pool.h"
}

namespace fuselab {
namespace {

struct ClosePool {
  void operator()(fl_pool* pool) const { fl_pool_destroy(pool); }
};
using Pool = std::unique_ptr<fl_pool, ClosePool>;

// Plain numbers: a part that ran twice, late or unseen by the caller is a data race, which a sanitizer reports.
struct Counts {
  std::vector<int> of_part;
  static void count(void* data, int part) { ++static_cast<Counts*>(data)->of_part[static_cast<std::size_t>(part)]; }
};

TEST(LoaderPool, RunsEachPartOnceBeforeItReturns) {
  const Pool pool(fl_pool_create(4));
  ASSERT_NE(pool, nullptr);
  // Calls of changing sizes and other data follow each other at once, so that a helper that comes late meets the next one.
  for (int turn = 0; turn < 20'000; ++turn) {
    Counts counts{std::vector<int>(static_cast<std::size_t>(turn % 5), 0)};
    fl_pool_run(pool.get(), turn % 5, Counts::count, &counts);
    for (const int times : counts.of_part) ASSERT_EQ(times, 1) << turn;
  }
}

TEST(LoaderPool, RunsEachPartOnceAfterItsThreadsSlept) {
  const Pool pool(fl_pool_create(3));
  ASSERT_NE(pool, nullptr);
  for (int turn = 0; turn < 30; ++turn) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    Counts counts{std::vector<int>(3, 0)};
    for (int again = 1; again <= 3; ++again) {
      fl_pool_run(pool.get(), 3, Counts::count, &counts);
      ASSERT_EQ(counts.of_part, std::vector<int>(3, again));
    }
  }
}

TEST(LoaderPool, OfMorePartsThanItWasMadeForRunsAll) {
  const Pool pool(fl_pool_create(2));
  Counts counts{std::vector<int>(50, 0)};
  fl_pool_run(pool.get(), 50, Counts::count, &counts);
  EXPECT_EQ(counts.of_part, std::vector<int>(50, 1));
}

// The first part to run waits until every other one is done: whoever is left has to take them, and the caller may be who waits.
TEST(LoaderPool, LeavesNoPartToAThreadThatIsHeldUp) {
  struct Held {
    std::atomic<int> started = 0, done = 0;
    static void run(void* data, int) {
      auto* const held = static_cast<Held*>(data);
      if (held->started++ == 0) {
        while (held->done.load() < 3) std::this_thread::yield();
      }
      ++held->done;
    }
  };
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "SKIPPED: one processor, so that the pool has no second thread";
  const Pool pool(fl_pool_create(4));
  ASSERT_NE(pool, nullptr);
  for (int turn = 0; turn < 200; ++turn) {
    Held held;
    fl_pool_run(pool.get(), 4, Held::run, &held);
    ASSERT_EQ(held.done.load(), 4);
  }
}

TEST(LoaderPool, ThatNeverRanIsDestroyed) {
  for (int i = 0; i < 100; ++i) fl_pool_destroy(fl_pool_create(4));
}

}  // namespace
}  // namespace fuselab
