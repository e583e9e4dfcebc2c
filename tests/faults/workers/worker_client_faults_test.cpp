// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "app/engine/workers/worker_client.h"
#include "core/platform/system/clock.h"
#include "tests/faults/workers/worker_fixture.h"

namespace fuselab::engine {
namespace {

using testing::HasSubstr;

// A program that stands in for the worker: a shell script with the channel as descriptor 3.
WorkerOptions script(const ScratchFolder& folder, const std::string& text) {
  folder.write("worker.sh", "#!/bin/sh\n" + text + "\n");
  std::filesystem::permissions(folder.path() / "worker.sh", std::filesystem::perms::owner_all);
  return {folder.path() / "worker.sh", {}, {}};
}

TEST(WorkerClientFaults, GarbageOnTheSocketIsOneErrorAndEndsTheWorker) {
  const ScratchFolder folder;
  auto worker =
      WorkerClient::spawn(script(folder, "printf 'what is this? something else entirely' >&3; sleep 100"), WorkerRole::kProbe);
  ASSERT_TRUE(worker.ok()) << worker.error().message;
  const auto reply = worker.value()->call(wire::ListRequest{}, {});
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(reply.error().message, HasSubstr("does not speak Fuselab's protocol"));
  EXPECT_FALSE(worker.value()->alive());
}

TEST(WorkerClientFaults, ADeathTellsHowAndTheLastWords) {
  const ScratchFolder folder;
  auto worker = WorkerClient::spawn(script(folder, "echo 'libvendor: no license' >&2; kill -SEGV $$"), WorkerRole::kProbe);
  ASSERT_TRUE(worker.ok());
  const auto reply = worker.value()->call(wire::ListRequest{}, {});
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().code, ErrorCode::kCrashed);
  EXPECT_THAT(reply.error().message, HasSubstr("was killed by signal 11 (SIGSEGV); its last words: libvendor: no license"));
  EXPECT_FALSE(worker.value()->blamed_plan());
  EXPECT_EQ(worker.value()->call(wire::ListRequest{}, {}).error().code, ErrorCode::kCrashed);  // and stays dead
}

TEST(WorkerClientFaults, SilenceEndsAtTheTimeout) {
  const ScratchFolder folder;
  auto worker = WorkerClient::spawn(script(folder, "sleep 100"), WorkerRole::kProbe);
  ASSERT_TRUE(worker.ok());
  CallOptions options;
  options.timeout = std::chrono::milliseconds(100);
  const auto reply = worker.value()->call(wire::ListRequest{}, options);
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().code, ErrorCode::kTimeout);
  EXPECT_THAT(reply.error().message, HasSubstr("did not answer within 100 ms"));
}

TEST(WorkerClientFaults, AProbeThatDiesIsAnUnusableBackendWithItsReason) {
  const ScratchFolder folder;
  WorkerPoolOptions options;
  options.worker_program = script(folder, "echo 'driver trouble' >&2; exit 9").program;
  WorkerPool pool(options);
  const auto report = pool.probe("cuda");
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report.value().id, "cuda");
  EXPECT_FALSE(report.value().availability.usable);
  EXPECT_THAT(report.value().availability.reason, HasSubstr("exited with code 9; its last words: driver trouble"));
}

TEST(WorkerClientFaults, AMissingWorkerProgramIsNamed) {
  WorkerPoolOptions options;
  options.worker_program = "/nowhere/fuselab-worker";
  const auto ids = WorkerPool(options).backend_ids();
  ASSERT_FALSE(ids.ok());
  EXPECT_EQ(ids.error().code, ErrorCode::kUnavailable) << "nothing is wrong with what was asked for";
  EXPECT_THAT(ids.error().message, HasSubstr("/nowhere/fuselab-worker"));
}

bool exists(int pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, state;
  return static_cast<bool>(stat >> number >> name >> state) && state != "Z";
}

TEST(WorkerClientFaults, TheSessionsDeathKillsItsWorkers) {
  ASSERT_FALSE(worker_program().empty());
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  const int session = ::fork();
  ASSERT_GE(session, 0);
  if (session == 0) {
    auto worker = WorkerClient::spawn({worker_program(), {}, {}}, WorkerRole::kProbe);
    const int pid = worker.ok() && worker.value()->call(wire::ListRequest{}, {}).ok() ? worker.value()->pid() : -1;
    if (::write(pipe_ends[1], &pid, sizeof pid) != sizeof pid) ::_exit(1);
    for (;;) ::pause();
  }
  int pid = -1;
  ASSERT_EQ(::read(pipe_ends[0], &pid, sizeof pid), static_cast<ssize_t>(sizeof pid));
  ASSERT_GT(pid, 0);
  EXPECT_TRUE(exists(pid));
  ::kill(session, SIGKILL);
  int status = 0;
  ::waitpid(session, &status, 0);
  const double deadline = platform::monotonic_now().count + 60e9;
  while (exists(pid) && platform::monotonic_now().count < deadline) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(exists(pid));
}

// A worker outlives the thread that started it: sessions start them from job threads.
TEST(WorkerClientFaults, TheEndOfTheStartingThreadKillsNobody) {
  ASSERT_FALSE(worker_program().empty());
  std::unique_ptr<WorkerClient> worker;
  std::thread([&] {
    auto started = WorkerClient::spawn({worker_program(), {}, {}}, WorkerRole::kProbe);
    ASSERT_TRUE(started.ok());
    worker = std::move(started).value();
  }).join();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(worker->call(wire::ListRequest{}, {}).ok());
}

}  // namespace
}  // namespace fuselab::engine
