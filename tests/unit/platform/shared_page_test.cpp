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

TEST(SharedPage, RefusesAFileThatIsTooShort) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const UniqueFd unused(ends[1]);
  EXPECT_FALSE(SharedPage::attach(UniqueFd(ends[0])).ok());
}

}  // namespace
}  // namespace fuselab::platform
