// SPDX-License-Identifier: Apache-2.0
// kill -9 at any moment: every acknowledged commit is there, the file is sound, the next writer goes on.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "core/base/random.h"
#include "tests/unit/db/db_fixture.h"

namespace fuselab::db {
namespace {

class KilledWriter : public DatabaseTest {
 protected:
  static constexpr std::int64_t kTrialsPerCommit = 7;

  // The child commits trials from `first` on and writes the number of stored ones to the pipe after each commit that returned.
  [[noreturn]] void write_forever(int acknowledge, std::int64_t first) {
    auto database = Database::open(path(), Access::kWrite, trust_, {"", "test-host"});
    if (!database.ok()) ::_exit(3);
    if (!database.value()->store().commit(testing::synthetic_basis(spec_)).ok()) ::_exit(4);
    for (std::int64_t next = first;;) {
      StoreBatch batch;
      for (std::int64_t added = 0; added < kTrialsPerCommit; ++added)
        batch.trials.push_back(testing::synthetic_trial(spec_, next++));
      batch.kernels = {testing::synthetic_kernel(static_cast<int>(next))};
      batch.keep_binaries = {batch.kernels[0].kernel_id()};
      if (!database.value()->store().commit(batch).ok()) ::_exit(5);
      if (::write(acknowledge, &next, sizeof next) != sizeof next) ::_exit(6);
    }
  }

  // Kills a writer after `delay`; the last acknowledged number of trials.
  std::int64_t run_and_kill(std::int64_t first, std::chrono::microseconds delay) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(ends[0]);
      write_forever(ends[1], first);
    }
    ::close(ends[1]);
    std::this_thread::sleep_for(delay);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself with " << WEXITSTATUS(status);
    std::int64_t acknowledged = first, next = 0;
    while (::read(ends[0], &next, sizeof next) == sizeof next) acknowledged = next;
    ::close(ends[0]);
    return acknowledged;
  }

  testing::SyntheticTrials spec_;
};

TEST_F(KilledWriter, NoAcknowledgedTrialIsLostInTwentyKills) {
  SeededRandom random(7);
  std::int64_t stored = 0;
  ASSERT_TRUE(succeeded(trust_->public_key_text()));
  for (int round = 0; round < 20; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const std::int64_t acknowledged = run_and_kill(stored, std::chrono::microseconds(3000 + random.below(120'000)));
    auto database = Database::open(path(), Access::kWrite, trust_, {"", "test-host"});
    ASSERT_TRUE(succeeded(database));
    const auto count = database.value()->queries().count_trials(every_trial());
    ASSERT_TRUE(succeeded(count));
    // One commit may have become durable without its word getting out; nothing between two commits exists.
    EXPECT_GE(count.value(), acknowledged);
    EXPECT_LE(count.value(), acknowledged + kTrialsPerCommit);
    EXPECT_EQ(count.value() % kTrialsPerCommit, 0);
    stored = count.value();
    for (std::int64_t index : {std::int64_t{0}, stored / 2, stored - 1}) {
      if (stored == 0) break;
      const auto trial = database.value()->queries().trial(testing::synthetic_trial(spec_, index).id);
      ASSERT_TRUE(succeeded(trial));
      EXPECT_TRUE(trial.value().has_value()) << index;
    }
    const auto report = database.value()->verify();
    ASSERT_TRUE(succeeded(report));
    EXPECT_TRUE(report.value().sound()) << report.value().problems.front();
  }
  EXPECT_GT(stored, 20 * kTrialsPerCommit);
}

}  // namespace
}  // namespace fuselab::db
