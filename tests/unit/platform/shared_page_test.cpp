// SPDX-License-Identifier: Apache-2.0
#include "core/platform/processes/shared_page.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/platform/system/clock.h"

namespace fuselab::platform {
namespace {

TEST(SharedPage, HoldsTheLastWordsOfADeadProcess) {
  auto page = SharedPage::create();
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page.value().state().plan, -1);
  const std::uint64_t before = page.value().state().heartbeat;
  const int child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto mine = SharedPage::attach(UniqueFd(::dup(page.value().fd())));
    if (!mine.ok()) ::_exit(1);
    mine.value().set(6, WorkerPhase::kLoad);
    mine.value().set(7, WorkerPhase::kLaunch);
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  const WorkerState state = page.value().state();
  EXPECT_EQ(state.plan, 7);
  EXPECT_EQ(state.phase, WorkerPhase::kLaunch);
  EXPECT_EQ(state.heartbeat, before + 2);
  EXPECT_LE(state.since.count, monotonic_now().count);
  EXPECT_GT(state.since.count, monotonic_now().count - 60e9);
}

TEST(SharedPage, LogsItsChangesAndCountsThoseThatWereOverwritten) {
  auto page = SharedPage::create();
  ASSERT_TRUE(page.ok());
  const std::uint64_t seen = page.value().state().heartbeat;
  EXPECT_TRUE(page.value().changes_since(seen).changes.empty());
  page.value().set(3, WorkerPhase::kLoad);
  page.value().set(3, WorkerPhase::kLaunch);
  const PhaseChanges two = page.value().changes_since(seen);
  ASSERT_EQ(two.changes.size(), 2U);
  EXPECT_EQ(two.lost, 0);
  EXPECT_EQ(two.changes[0].plan, 3);
  EXPECT_EQ(two.changes[0].phase, WorkerPhase::kLoad);
  EXPECT_EQ(two.changes[1].phase, WorkerPhase::kLaunch);
  EXPECT_LE(two.changes[0].at, two.changes[1].at);
  EXPECT_EQ(page.value().changes_since(seen + 1).changes.size(), 1U);

  for (int i = 0; i < 16'384; ++i) page.value().set(i, WorkerPhase::kVerify);
  const PhaseChanges newest = page.value().changes_since(seen);
  EXPECT_EQ(newest.lost, 2);
  ASSERT_EQ(newest.changes.size(), 16'384U);
  EXPECT_EQ(newest.changes.front().plan, 0);
  EXPECT_EQ(newest.changes.back().plan, 16'383);
}

TEST(SharedPage, RefusesAFileThatIsTooShort) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const UniqueFd unused(ends[1]);
  EXPECT_FALSE(SharedPage::attach(UniqueFd(ends[0])).ok());
}

}  // namespace
}  // namespace fuselab::platform
