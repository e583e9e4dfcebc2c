// SPDX-License-Identifier: Apache-2.0
// Which commits wait for the disk. SQLite says itself how it will end the next one.
#include <chrono>
#include <thread>

#include "db/result_repository.h"
#include "tests/unit/db/db_fixture.h"

namespace fuselab::db {
namespace {

constexpr std::int64_t kNormal = 1, kFull = 2;  // https://www.sqlite.org/pragma.html#pragma_synchronous

class Durable : public DatabaseTest {
 protected:
  void SetUp() override {
    DatabaseTest::SetUp();
    ASSERT_TRUE(open());  // makes the file
    repository_ = std::make_unique<ResultRepository>(path(), Connection::open(path(), Connection::Mode::kReadWrite), trust_,
                                                     RowOrigin{"test-host", "local"});
    ASSERT_TRUE(succeeded(repository_->commit(testing::synthetic_basis({}))));
  }
  void TearDown() override {
    repository_.reset();
    DatabaseTest::TearDown();
  }

  void commit_trial(std::int64_t index, Durability durability) {
    StoreBatch batch;
    batch.trials = {testing::synthetic_trial({}, index)};
    batch.durability = durability;
    ASSERT_TRUE(succeeded(repository_->commit(batch)));
  }

  std::int64_t synchronous() {
    std::int64_t mode = 0;
    EXPECT_TRUE(succeeded(repository_->maintain([&](Connection& connection) -> Status {
      mode = connection.integer("PRAGMA synchronous");
      return {};
    })));
    return mode;
  }

  std::unique_ptr<ResultRepository> repository_;
};

TEST_F(Durable, EverythingWaitsForTheDiskUnlessItMayBeLate) {
  EXPECT_EQ(synchronous(), kFull);
  commit_trial(0, Durability::kSoon);
  EXPECT_EQ(synchronous(), kNormal);
  commit_trial(1, Durability::kNow);
  EXPECT_EQ(synchronous(), kFull);
}

TEST_F(Durable, WhatMayBeLateIsAtMostASecondLate) {
  commit_trial(0, Durability::kSoon);
  ASSERT_EQ(synchronous(), kNormal);
  std::this_thread::sleep_for(std::chrono::milliseconds(1050));
  commit_trial(1, Durability::kSoon);
  EXPECT_EQ(synchronous(), kFull);
}

// Another process sees it at once, which is what a killed one leaves behind.
TEST_F(Durable, WhatMayBeLateIsReadAtOnce) {
  commit_trial(0, Durability::kSoon);
  const auto reader = open(Access::kRead);
  ASSERT_TRUE(reader);
  const auto count = reader->queries().count_trials(every_trial());
  ASSERT_TRUE(succeeded(count));
  EXPECT_EQ(count.value(), 1);
}

// Somebody who copies the file when nobody writes has everything, though a session still looks at it.
TEST_F(DatabaseTest, ALoneFileHasEverythingOnceItsWriterIsGone) {
  std::unique_ptr<Database> reader;
  {
    const auto writer = open();
    ASSERT_TRUE(writer);
    ASSERT_TRUE(succeeded(writer->store().commit(testing::synthetic_basis({}))));
    reader = open(Access::kRead);
    ASSERT_TRUE(reader);
    ASSERT_TRUE(succeeded(reader->queries().catalog()));
    StoreBatch batch;
    batch.trials = {testing::synthetic_trial({}, 0)};
    ASSERT_TRUE(succeeded(writer->store().commit(batch)));
  }
  std::filesystem::copy_file(path(), path("copy.db"));
  const auto copy = open(Access::kRead, "copy.db");
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->queries().count_trials(every_trial()).value(), 1);
  EXPECT_EQ(reader->queries().count_trials(every_trial()).value(), 1);
}

}  // namespace
}  // namespace fuselab::db
