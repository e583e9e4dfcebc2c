// SPDX-License-Identifier: Apache-2.0
// A disk that is full: the commit fails whole, says so, and what was there stays.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "tests/unit/db/db_fixture.h"

namespace fuselab::db {
namespace {

using FullDisk = DatabaseTest;

StoreBatch large_batch() {
  StoreBatch batch;
  batch.kernels = {testing::synthetic_kernel(1, 6 << 20)};
  batch.keep_binaries = {batch.kernels[0].kernel_id()};
  batch.trials = {testing::synthetic_trial({}, 100)};
  return batch;
}

// In a process of its own, because the limit on file sizes cannot be raised again: the child's exit code says which step failed.
int commit_beyond_the_limit(const std::filesystem::path& path, const std::shared_ptr<Trust>& trust) {
  auto database = Database::open(path, Access::kWrite, trust, {"", "test-host"});
  if (!database.ok()) return 1;
  if (!testing::fill_with_synthetic_trials(database.value()->store(), {.count = 50}).ok()) return 2;
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = 2 << 20;
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 3;
  const Status status = database.value()->store().commit(large_batch());
  if (status.ok()) return 4;
  const std::string& message = status.error().message;
  if (status.error().code != ErrorCode::kIo || message.find("needs about") == std::string::npos ||
      message.find("are free") == std::string::npos || message.find("nothing of this write was kept") == std::string::npos) {
    ::write(2, message.data(), message.size());
    return 5;
  }
  // The whole batch is gone, and a small one still goes in.
  if (database.value()->queries().count_trials(every_trial()).value() != 50) return 6;
  StoreBatch small;
  small.trials = {testing::synthetic_trial({}, 60)};
  return database.value()->store().commit(small).ok() ? 0 : 7;
}

TEST_F(FullDisk, TheWholeCommitIsRolledBackAndTheErrorNamesTheBytes) {
  ASSERT_TRUE(succeeded(trust_->public_key_text()));
  const pid_t child = ::fork();
  if (child == 0) ::_exit(commit_beyond_the_limit(path(), trust_));
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "failed step of commit_beyond_the_limit";
  auto database = open();
  ASSERT_TRUE(database);
  EXPECT_EQ(database->queries().count_trials(every_trial()).value(), 51);
  EXPECT_TRUE(succeeded(database->store().commit(large_batch())));
  const auto report = database->verify();
  ASSERT_TRUE(succeeded(report));
  EXPECT_TRUE(report.value().sound()) << report.value().problems.front();
}

// A key that cannot be made is no full disk: nobody is told to free some space.
TEST_F(FullDisk, IsNotBlamedForAKeyThatCannotBeMade) {
  std::ofstream(path("file")) << "in the way";
  const auto keyless = std::make_shared<Trust>(path("file") / "keys");
  const auto database = Database::open(path(), Access::kWrite, keyless, {"", "test-host"});
  ASSERT_TRUE(succeeded(database));
  ASSERT_TRUE(succeeded(testing::fill_with_synthetic_trials(database.value()->store(), {.count = 50})));
  const Status status = database.value()->store().commit(large_batch());
  EXPECT_TRUE(failed_with(status, ErrorCode::kIo, "XDG_CONFIG_HOME"));
  EXPECT_EQ(status.error().message.find("free some space"), std::string::npos) << status.error().message;
}

}  // namespace
}  // namespace fuselab::db
