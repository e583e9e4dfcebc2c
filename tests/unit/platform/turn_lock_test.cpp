// SPDX-License-Identifier: Apache-2.0
#include "core/platform/machine/turn_lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <thread>

#include "tests/unit/platform/scratch_folder.h"

namespace fuselab::platform {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// What the processes of a test see of each other.
struct Board {
  std::atomic<int> sharing{0}, alone{0}, overlaps{0}, most_sharing{0}, shared{0}, was_alone{0};
  std::atomic<bool> over{false};
};

class TurnLocks : public testing::Test {
 protected:
  TurnLocks() : board_(new (::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Board) {}
  ~TurnLocks() override {
    board_->over = true;
    for (const int child : children_) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
    ::munmap(board_, sizeof(Board));
  }

  // Runs `work` in a process of its own, whose exit code is 0 when it returns.
  int start(const std::function<void()>& work) {
    const int child = ::fork();
    if (child == 0) {
      work();
      ::_exit(0);
    }
    children_.push_back(child);
    return child;
  }
  bool ends_well(int child) {
    std::erase(children_, child);
    int status = -1;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  std::filesystem::path path() const { return folder_.path() / "locks/cpu.lock"; }

  void share_once(milliseconds time) {
    const auto lock = TurnLock::share(path(), "the CPU", {}, {});
    if (!lock.ok()) ::abort();
    const int now = ++board_->sharing;
    if (now > board_->most_sharing) board_->most_sharing = now;
    if (board_->alone != 0) ++board_->overlaps;
    std::this_thread::sleep_for(time);
    --board_->sharing;
    ++board_->shared;
  }
  void be_alone_once(milliseconds time) {
    const auto lock = TurnLock::take_alone(path(), "the CPU", {});
    if (!lock.ok()) ::abort();
    if (++board_->alone != 1 || board_->sharing != 0) ++board_->overlaps;
    std::this_thread::sleep_for(time);
    --board_->alone;
    ++board_->was_alone;
  }
  static bool within(milliseconds time, const std::function<bool()>& holds) {
    const auto end = steady_clock::now() + time;
    while (!holds()) {
      if (steady_clock::now() > end) return false;
      std::this_thread::sleep_for(milliseconds(1));
    }
    return true;
  }

  ScratchFolder folder_;
  Board* board_;
  std::vector<int> children_;
};

TEST_F(TurnLocks, KeepProcessesOffTheOneThatIsAlone) {
  const auto both = [this] {
    const auto share = [this] {
      for (int i = 0; i < 40; ++i) share_once(milliseconds(1));
    };
    const std::jthread a(share), b(share);
    for (int i = 0; i < 20; ++i) be_alone_once(milliseconds(1));
  };
  const int first = start(both);
  const int second = start(both);
  EXPECT_TRUE(ends_well(first));
  EXPECT_TRUE(ends_well(second));
  EXPECT_EQ(board_->overlaps, 0);
  EXPECT_EQ(board_->was_alone, 40);
  EXPECT_EQ(board_->shared, 160);
  EXPECT_GT(board_->most_sharing, 1);
}

TEST_F(TurnLocks, LetOneInThatWantsToBeAloneAmongProcessesThatShareWithoutAGap) {
  for (int process = 0; process < 2; ++process) {
    start([this] {
      const auto share = [this] {
        while (!board_->over) share_once(milliseconds(5));
      };
      const std::jthread a(share), b(share);
    });
  }
  ASSERT_TRUE(within(milliseconds(60'000), [this] { return board_->shared > 10; }));
  for (int i = 0; i < 5; ++i) {
    const auto asked = steady_clock::now();
    be_alone_once(milliseconds(1));
    EXPECT_LT(steady_clock::now() - asked, milliseconds(60'000));
  }
  EXPECT_EQ(board_->overlaps, 0);
}

TEST_F(TurnLocks, LetSharersInBetweenProcessesThatAreAloneOneAfterTheOther) {
  for (int process = 0; process < 2; ++process) {
    start([this] {
      while (!board_->over) be_alone_once(milliseconds(20));
    });
  }
  ASSERT_TRUE(within(milliseconds(60'000), [this] { return board_->was_alone > 2; }));
  int fewest = 1000;
  for (int i = 0; i < 5; ++i) {
    const int before = board_->was_alone;
    share_once(milliseconds(1));
    fewest = std::min(fewest, board_->was_alone - before);
  }
  EXPECT_LE(fewest, 4);  // until those that are ahead have had their turn; more pass while this thread is kept from asking
  EXPECT_EQ(board_->overlaps, 0);
}

TEST_F(TurnLocks, AreFreeWhenTheirHolderIsKilled) {
  for (const bool alone : {true, false}) {
    board_->sharing = board_->alone = 0;
    const int holder = start([&] { alone ? be_alone_once(milliseconds(600'000)) : share_once(milliseconds(600'000)); });
    ASSERT_TRUE(within(milliseconds(60'000), [&] { return (alone ? board_->alone : board_->sharing) == 1; }));
    // One that waits when it is killed leaves nothing behind either.
    const int waiter = start([this] { be_alone_once(milliseconds(1)); });
    std::this_thread::sleep_for(milliseconds(50));
    ::kill(waiter, SIGKILL);
    EXPECT_FALSE(ends_well(waiter));
    const std::jthread killer([&] {
      std::this_thread::sleep_for(milliseconds(50));
      ::kill(holder, SIGKILL);
    });
    EXPECT_TRUE(TurnLock::take_alone(path(), "the CPU", {}).ok());
    EXPECT_FALSE(ends_well(holder));
  }
}

TEST_F(TurnLocks, AreWaitedForUntilAStopAndSayWhoIsAlone) {
  const int holder = start([this] { be_alone_once(milliseconds(600'000)); });
  ASSERT_TRUE(within(milliseconds(60'000), [this] { return board_->alone == 1; }));
  std::stop_source stop;
  std::string told;
  std::atomic<bool> waits = false;
  const std::jthread stopper([&] {
    while (!waits) std::this_thread::sleep_for(milliseconds(1));
    stop.request_stop();
  });
  const auto lock = TurnLock::share(path(), "the CPU", stop.get_token(), [&](const std::string& text) {
    told = text;
    waits = true;
  });
  ASSERT_FALSE(lock.ok());
  EXPECT_EQ(lock.error().code, ErrorCode::kCancelled);
  EXPECT_TRUE(told.starts_with("the CPU is in use by ")) << told;
  EXPECT_NE(told.find("(pid " + std::to_string(holder) + ") since 20"), std::string::npos) << told;
  ::kill(holder, SIGKILL);
  EXPECT_FALSE(ends_well(holder));
  EXPECT_TRUE(TurnLock::take_alone(path(), "the CPU", {}).ok());  // who gave up waiting keeps nobody out
}

}  // namespace
}  // namespace fuselab::platform
