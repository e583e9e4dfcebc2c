// SPDX-License-Identifier: Apache-2.0
#include "core/platform/files/file_lock.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "tests/unit/platform/scratch_folder.h"

namespace fuselab::platform {
namespace {

TEST(FileLock, NamesWhoHoldsIt) {
  const ScratchFolder folder;
  const auto held = FileLock::try_acquire(folder.path() / "new/device.lock", "cpu:0");
  ASSERT_TRUE(held.ok()) << held.error().message;
  const auto second = FileLock::try_acquire(folder.path() / "new/device.lock", "cpu:0");
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::kBusy);
  EXPECT_TRUE(second.error().message.starts_with("cpu:0 is in use by ")) << second.error().message;
  EXPECT_NE(second.error().message.find("(pid " + std::to_string(::getpid()) + ") since 20"), std::string::npos);
}

TEST(FileLock, IsFreeAgainWhenItsHolderIsGone) {
  const ScratchFolder folder;
  { const auto held = FileLock::try_acquire(folder.path() / "lock", "it"); }
  EXPECT_TRUE(FileLock::try_acquire(folder.path() / "lock", "it").ok());
}

TEST(FileLock, TellsWhoIsWaitedForOnceAndGetsIt) {
  const ScratchFolder folder;
  auto first = std::make_optional(FileLock::try_acquire(folder.path() / "lock", "cpu:0"));
  ASSERT_TRUE(first->ok());
  std::atomic<bool> waits = false;
  std::thread releaser([&] {
    while (!waits) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    first.reset();
  });
  std::vector<std::string> told;
  const auto second = FileLock::acquire(folder.path() / "lock", "cpu:0", {}, [&](const std::string& text) {
    told.push_back(text);
    waits = true;
  });
  releaser.join();
  EXPECT_TRUE(second.ok());
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(told.front().starts_with("cpu:0 is in use by "));
}

TEST(FileLock, StopsWaitingWhenAsked) {
  const ScratchFolder folder;
  const auto held = FileLock::try_acquire(folder.path() / "lock", "cpu:0");
  std::stop_source stop;
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    stop.request_stop();
  });
  const auto second = FileLock::acquire(folder.path() / "lock", "cpu:0", stop.get_token(), {});
  stopper.join();
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::kCancelled);
}

TEST(FileLock, SaysWhatKeepsItFromTheFile) {
  const ScratchFolder folder;
  folder.write("file", "");
  const auto lock = FileLock::try_acquire(folder.path() / "file/lock", "it");
  ASSERT_FALSE(lock.ok());
  EXPECT_NE(lock.error().message.find("file"), std::string::npos);
}

}  // namespace
}  // namespace fuselab::platform
