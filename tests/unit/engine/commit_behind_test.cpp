// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure/commit_behind.h"

#include <gtest/gtest.h>

#include <semaphore>
#include <string>
#include <vector>

namespace fuselab::engine {
namespace {

// Commits when it is let to, and fails when it is told to.
class SlowStore : public ResultStore {
 public:
  Status commit(const StoreBatch& batch) override {
    may_commit.acquire();
    if (fails) return Error{ErrorCode::kIo, "the disk is full"};
    committed.push_back(batch.keep_binaries.front());
    return {};
  }
  std::counting_semaphore<8> may_commit{0};
  bool fails = false;
  std::vector<std::string> committed;
};

StoreBatch batch_of(const std::string& name) {
  StoreBatch batch;
  batch.keep_binaries = {name};
  return batch;
}

TEST(CommitBehind, GoesOnWhileTheDiskIsBusy) {
  SlowStore store;
  CommitBehind behind(store);
  std::vector<std::string> told;
  ASSERT_TRUE(behind.begin(batch_of("first"), [&] { told = store.committed; }).ok());  // else it would hang here
  EXPECT_TRUE(told.empty());
  store.may_commit.release();
  ASSERT_TRUE(behind.settle().ok());
  EXPECT_EQ(told, std::vector<std::string>{"first"}) << "told once it is durable, before settle() returns";
}

TEST(CommitBehind, KeepsTheOrder) {
  SlowStore store;
  store.may_commit.release(3);
  CommitBehind behind(store);
  for (const char* const name : {"first", "second", "third"}) ASSERT_TRUE(behind.begin(batch_of(name), {}).ok());
  ASSERT_TRUE(behind.settle().ok());
  EXPECT_EQ(store.committed, (std::vector<std::string>{"first", "second", "third"}));
}

TEST(CommitBehind, ReturnsAFailureAndBeginsNothingMore) {
  SlowStore store;
  store.fails = true;
  store.may_commit.release(2);
  CommitBehind behind(store);
  bool told = false;
  ASSERT_TRUE(behind.begin(batch_of("first"), [&] { told = true; }).ok());
  const Status second = behind.begin(batch_of("second"), {});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().message, "the disk is full");
  EXPECT_TRUE(behind.settle().ok()) << "a failure is returned once";
  EXPECT_FALSE(told) << "what is not durable is not told";
  EXPECT_TRUE(store.committed.empty());
}

TEST(CommitBehind, EndsWithWhatWasBegunStored) {
  SlowStore store;
  store.may_commit.release();
  {
    CommitBehind behind(store);
    ASSERT_TRUE(behind.begin(batch_of("last"), {}).ok());
  }
  EXPECT_EQ(store.committed, std::vector<std::string>{"last"});
}

}  // namespace
}  // namespace fuselab::engine
