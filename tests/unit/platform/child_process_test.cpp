// SPDX-License-Identifier: Apache-2.0
#include "core/platform/processes/child_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <thread>

#include "core/platform/processes/channel.h"
#include "core/platform/system/clock.h"

namespace fuselab::platform {
namespace {

using std::chrono::milliseconds;

ChildOptions shell(std::string script) {
  ChildOptions options;
  options.program = "/bin/sh";
  options.arguments = {"-c", std::move(script)};
  return options;
}

TEST(ChildProcess, SaysHowItEnded) {
  auto exits = ChildProcess::start(shell("exit 3"));
  ASSERT_TRUE(exits.ok());
  EXPECT_EQ(exits.value().wait_exit(milliseconds(5000)), "exited with code 3");
  auto crashes = ChildProcess::start(shell("kill -SEGV $$"));
  ASSERT_TRUE(crashes.ok());
  EXPECT_EQ(crashes.value().wait_exit(milliseconds(5000)), "was killed by signal 11 (SIGSEGV)");
}

TEST(ChildProcess, NamesTheProgramThatCannotBeStarted) {
  ChildOptions options;
  options.program = "/nowhere/fuselab-worker";
  const auto started = ChildProcess::start(options);
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().code, ErrorCode::kNotFound);
  EXPECT_NE(started.error().message.find("/nowhere/fuselab-worker"), std::string::npos);
}

TEST(ChildProcess, SaysWhenTooFewFilesMayBeOpen) {
  const int next = ::dup(STDERR_FILENO);
  ::close(next);
  if (next > 10) GTEST_SKIP() << "whoever runs the tests left too many files open";
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{20, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  const auto started = ChildProcess::start(shell("exit 0"));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_FALSE(started.ok());
  EXPECT_NE(started.error().message.find("ulimit -n"), std::string::npos) << started.error().message;
}

TEST(ChildProcess, KillsWhatItStartedAlong) {
  auto ends = Channel::create_pair();
  ChildOptions options = shell("sleep 1000 & sleep 1000");
  options.passed_fds = {{ends.value().second.fd(), 3}};
  auto child = ChildProcess::start(options);
  ASSERT_TRUE(child.ok());
  ends.value().second.close();
  child.value().kill();
  // The grandchild inherited descriptor 3: the channel closes only when it is gone as well.
  std::byte byte{};
  EXPECT_EQ(ends.value().first.receive_some(std::span(&byte, 1), milliseconds(60'000)).error().code, ErrorCode::kUnavailable);
}

// Whether everybody who holds the other end is gone within a few seconds.
bool closes(Channel& end) {
  std::byte byte{};
  const auto got = end.receive_some(std::span(&byte, 1), milliseconds(4000));
  return !got.ok() && got.error().code == ErrorCode::kUnavailable;
}

TEST(ChildProcess, KillsWhatItStartedAlongInAJoinedGroupToo) {
  auto ends = Channel::create_pair();
  ChildOptions options = shell("(sleep 1000; true) & (sh -c 'sleep 1000; true'; true)");
  options.passed_fds = {{ends.value().second.fd(), 3}};
  options.group = ProcessGroup::kJoined;
  auto child = ChildProcess::start(options);
  ASSERT_TRUE(child.ok());
  ends.value().second.close();
  EXPECT_EQ(::getpgid(child.value().pid()), ::getpgrp());
  EXPECT_FALSE(child.value().wait_exit(milliseconds(100)));
  child.value().kill();
  EXPECT_TRUE(closes(ends.value().first));
}

TEST(ChildProcess, LeavesNothingBehindWhenItEndsItself) {
  auto ends = Channel::create_pair();
  ChildOptions options = shell("sleep 1000 & exit 3");
  options.passed_fds = {{ends.value().second.fd(), 3}};
  auto child = ChildProcess::start(options);
  ASSERT_TRUE(child.ok());
  ends.value().second.close();
  EXPECT_EQ(child.value().wait_exit(milliseconds(5000)), "exited with code 3");
  EXPECT_TRUE(closes(ends.value().first));
}

TEST(ChildProcess, InAJoinedGroupDiesWithTheThreadThatStartedIt) {
  std::optional<ChildProcess> child;
  std::thread([&] {
    ChildOptions options = shell("exec sleep 1000");
    options.group = ProcessGroup::kJoined;
    auto started = ChildProcess::start(options);
    ASSERT_TRUE(started.ok());
    child.emplace(std::move(started).value());
  }).join();
  ASSERT_TRUE(child);
  EXPECT_EQ(child->wait_exit(milliseconds(5000)), "was killed by signal 9 (SIGKILL)");
}

TEST(ChildProcess, GetsItsOwnVariablesBesideOurs) {
  ::setenv("FUSELAB_TEST_OURS", "ours", 1);
  ::setenv("FUSELAB_TEST_BOTH", "ours", 1);
  ChildOptions options = shell("echo $FUSELAB_TEST_OURS $FUSELAB_TEST_BOTH $FUSELAB_TEST_ITS");
  options.variables = {{"FUSELAB_TEST_BOTH", "its"}, {"FUSELAB_TEST_ITS", "its"}};
  auto child = ChildProcess::start(options);
  ASSERT_TRUE(child.ok());
  ASSERT_TRUE(child.value().wait_exit(milliseconds(5000)));
  EXPECT_EQ(child.value().last_words(), "ours its its\n");
}

TEST(ChildProcess, DoesNotGetWhatIsWithheld) {
  ::setenv("FUSELAB_TEST_WITHHELD", "ours", 1);
  ::setenv("FUSELAB_TEST_WITHHELD_NOT", "ours", 1);
  ChildOptions options = shell("echo ${FUSELAB_TEST_WITHHELD-none} $FUSELAB_TEST_WITHHELD_NOT");
  options.withheld = {"FUSELAB_TEST_WITHHELD", "FUSELAB_TEST_NEVER_SET"};
  auto child = ChildProcess::start(options);
  ASSERT_TRUE(child.ok());
  child.value().wait_exit(milliseconds(5000));
  ::unsetenv("FUSELAB_TEST_WITHHELD");
  ::unsetenv("FUSELAB_TEST_WITHHELD_NOT");
  EXPECT_EQ(child.value().last_words(), "none ours\n");
}

TEST(ExitCodeIn, IsTheCodeOfAnEndThatHasOne) {
  EXPECT_EQ(exit_code_in("exited with code 0"), 0);
  EXPECT_EQ(exit_code_in("exited with code 125"), 125);
  EXPECT_EQ(exit_code_in(describe_exit(SIGKILL)), std::nullopt);
  EXPECT_EQ(exit_code_in("exited with code x"), std::nullopt);
  EXPECT_EQ(exit_code_in(""), std::nullopt);
}

TEST(EndedFromOutside, IsKilledAndNotCrashed) {
  for (const int sent : {SIGKILL, SIGTERM, SIGINT, SIGHUP}) {
    EXPECT_TRUE(ended_from_outside("worker (measure, pid 7) " + describe_exit(sent))) << sent;
    EXPECT_TRUE(ended_from_outside("worker (measure, pid 7) " + describe_exit(sent) + "; its last words: x")) << sent;
  }
  for (const int own : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS}) {
    EXPECT_FALSE(ended_from_outside("worker (measure, pid 7) " + describe_exit(own))) << own;
  }
  EXPECT_FALSE(ended_from_outside("worker (measure, pid 9) exited with code 9; its last words: was killed by signal 9 (SIGKILL)"));
  EXPECT_FALSE(ended_from_outside(""));
}

TEST(ChildProcess, PassesDescriptorsByNumberAndNothingElse) {
  auto ends = Channel::create_pair();
  auto other = Channel::create_pair();
  ChildOptions options = shell("printf hello >&5; ls /proc/self/fd | tr '\\n' ' '");
  options.passed_fds = {{ends.value().second.fd(), 5}};
  auto child = ChildProcess::start(options);
  ASSERT_TRUE(child.ok());
  std::byte greeting[5];
  const auto got = ends.value().first.receive_some(greeting, milliseconds(5000));
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(greeting), got.value()), "hello");
  EXPECT_EQ(child.value().wait_exit(milliseconds(5000)), "exited with code 0");
  EXPECT_EQ(child.value().last_words(), "0 1 2 3 5 ");  // 3 is ls's own look at the folder
}

TEST(ChildProcess, KeepsTheLastWordsOfATalkativeChild) {
  auto child = ChildProcess::start(shell("i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done; echo the end >&2"));
  ASSERT_TRUE(child.ok());
  EXPECT_EQ(child.value().wait_exit(milliseconds(20000)), "exited with code 0");
  const std::string& words = child.value().last_words();
  EXPECT_LE(words.size(), 4096U);
  EXPECT_TRUE(words.ends_with("line 19999\nthe end\n")) << words;
}

TEST(ChildProcess, LimitsTheAddressSpace) {
  ChildOptions options = shell("ulimit -v");
  options.address_space = {512 << 20};
  auto child = ChildProcess::start(options);
  ASSERT_TRUE(child.ok());
  EXPECT_EQ(child.value().wait_exit(milliseconds(5000)), "exited with code 0");
  EXPECT_EQ(child.value().last_words(), "524288\n");
}

}  // namespace
}  // namespace fuselab::platform
