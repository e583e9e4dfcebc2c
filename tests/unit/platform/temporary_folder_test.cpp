// SPDX-License-Identifier: Apache-2.0
#include "core/platform/files/temporary_folder.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/unit/platform/scratch_folder.h"

namespace fuselab::platform {
namespace {

namespace fs = std::filesystem;

class TemporaryFolders : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* const now = std::getenv("TMPDIR")) before_ = now;
    ::setenv("TMPDIR", scratch_.path().c_str(), 1);
  }
  void TearDown() override { before_ ? ::setenv("TMPDIR", before_->c_str(), 1) : ::unsetenv("TMPDIR"); }

  // The number of a process that is gone.
  static int dead_pid() {
    const int pid = ::fork();
    if (pid == 0) ::_exit(0);
    ::waitpid(pid, nullptr, 0);
    return pid;
  }

  ScratchFolder scratch_;
  std::optional<std::string> before_;
};

TEST_F(TemporaryFolders, AreThisUsersAloneAndGoneWithTheObject) {
  fs::path path;
  {
    const auto folder = TemporaryFolder::create("fuselab-try");
    ASSERT_TRUE(folder.ok()) << folder.error().message;
    path = folder.value().path();
    EXPECT_EQ(path.parent_path(), scratch_.path());
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    scratch_.write(path / "file", "text");
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(TemporaryFolders, AreSweptOnlyWhenTheirProcessIsGone) {
  const auto mine = TemporaryFolder::create("fuselab-try");
  ASSERT_TRUE(mine.ok());
  const std::string dead = std::to_string(dead_pid());
  scratch_.write("fuselab-try-" + dead + "-a/kernel.c", "text");
  scratch_.write("fuselab-other-" + dead + "-a/kernel.c", "text");
  scratch_.write("fuselab-try-notes/kernel.c", "text");
  scratch_.write("elsewhere/kernel.c", "text");
  fs::create_directory_symlink(scratch_.path() / "elsewhere", scratch_.path() / ("fuselab-try-" + dead + "-link"));
  TemporaryFolder::sweep("fuselab-try");
  EXPECT_FALSE(fs::exists(scratch_.path() / ("fuselab-try-" + dead + "-a")));
  EXPECT_TRUE(fs::exists(mine.value().path()));
  EXPECT_TRUE(fs::exists(scratch_.path() / ("fuselab-other-" + dead + "-a/kernel.c")));
  EXPECT_TRUE(fs::exists(scratch_.path() / "fuselab-try-notes/kernel.c"));
  EXPECT_TRUE(fs::exists(scratch_.path() / "elsewhere/kernel.c"));
}

TEST_F(TemporaryFolders, OfAnEndedProcessAreSweptWhateverTheirPrefix) {
  const int pid = dead_pid();
  const std::string dead = "-" + std::to_string(pid) + "-", uuid = "0b8b3d5c-5f0e-4f9c-8a55-9b1d4d3f0c11";
  const auto mine = TemporaryFolder::create("fuselab-try");
  ASSERT_TRUE(mine.ok());
  for (const std::string& name : {"fuselab-pocl" + dead + uuid, "fuselab-cc" + dead + uuid, "fuselab-cc-1" + dead.substr(1) + uuid,
                                  "other-cc" + dead + uuid, "fuselab-notes" + dead})
    scratch_.write(name + "/file", "text");
  TemporaryFolder::sweep_of(pid);
  EXPECT_FALSE(fs::exists(scratch_.path() / ("fuselab-pocl" + dead + uuid)));
  EXPECT_FALSE(fs::exists(scratch_.path() / ("fuselab-cc" + dead + uuid)));
  EXPECT_TRUE(fs::exists(scratch_.path() / ("fuselab-cc-1" + dead.substr(1) + uuid))) << "of a process with another number";
  EXPECT_TRUE(fs::exists(scratch_.path() / ("other-cc" + dead + uuid)));
  EXPECT_TRUE(fs::exists(scratch_.path() / ("fuselab-notes" + dead)));
  TemporaryFolder::sweep_of(::getpid());
  EXPECT_TRUE(fs::exists(mine.value().path())) << "this process lives";
}

// An orphan that nobody waits for keeps its number.
TEST_F(TemporaryFolders, AreSweptWhenTheirProcessEndedAndNobodyWaitedForIt) {
  const int ended = ::fork();
  if (ended == 0) ::_exit(0);
  siginfo_t seen{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(ended), &seen, WEXITED | WNOWAIT), 0);
  const fs::path name = "fuselab-try-" + std::to_string(ended) + "-a";
  scratch_.write(name / "kernel.c", "text");
  TemporaryFolder::sweep("fuselab-try");
  EXPECT_FALSE(fs::exists(scratch_.path() / name));
  ::waitpid(ended, nullptr, 0);
}

// As in another container that shares the directory: the number says nothing here, the lock does.
TEST_F(TemporaryFolders, StayWhileSomebodyHoldsThem) {
  const auto mine = TemporaryFolder::create("fuselab-try");
  ASSERT_TRUE(mine.ok());
  const fs::path renamed = scratch_.path() / ("fuselab-try-" + std::to_string(dead_pid()) + "-held");
  fs::rename(mine.value().path(), renamed);
  TemporaryFolder::sweep("fuselab-try");
  EXPECT_TRUE(fs::exists(renamed));
}

TEST_F(TemporaryFolders, SayWhereTheyCannotBeMade) {
  const fs::path missing = scratch_.path() / "missing";
  ::setenv("TMPDIR", missing.c_str(), 1);
  const auto folder = TemporaryFolder::create("fuselab-try");
  ASSERT_FALSE(folder.ok());
  EXPECT_NE(folder.error().message.find("TMPDIR"), std::string::npos);
  TemporaryFolder::sweep("fuselab-try");  // nothing there to sweep
}

}  // namespace
}  // namespace fuselab::platform
