// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "db/database.h"
#include "tests/support/synthetic_trials.h"

namespace fuselab::db {

// A folder of its own with a database path and a user's keys.
class DatabaseTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "fuselab-db-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    trust_ = std::make_shared<Trust>(folder_ / "keys");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path path(const std::string& name = "results.db") const { return folder_ / name; }

  // Opens or fails the test; the caller must check for null where it goes on.
  std::unique_ptr<Database> open(Access access = Access::kWrite, const std::string& name = "results.db",
                                 std::shared_ptr<Trust> trust = nullptr) {
    auto opened = Database::open(path(name), access, trust ? std::move(trust) : trust_, {"", "test-host"});
    if (!opened.ok()) {
      ADD_FAILURE() << opened.error().message;
      return nullptr;
    }
    return std::move(opened).value();
  }

  // What somebody with a sqlite3 shell would do.
  void edit(const std::string& sql, const std::string& name = "results.db") {
    SQLite::Database shell(path(name).string(), SQLite::OPEN_READWRITE);
    shell.exec(sql);
  }

  std::filesystem::path folder_;
  std::shared_ptr<Trust> trust_;
};

// The default filter leaves synthetic rows out.
inline TrialFilter every_trial() {
  TrialFilter filter;
  filter.include_synthetic = true;
  return filter;
}

// Fails with the error's message.
template <typename T>
::testing::AssertionResult succeeded(const Result<T>& result) {
  if (result.ok()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << name_of(result.error().code) << ": " << result.error().message;
}

template <typename T>
::testing::AssertionResult failed_with(const Result<T>& result, ErrorCode code, const std::string& part) {
  if (result.ok()) return ::testing::AssertionFailure() << "succeeded";
  if (result.error().code == code && result.error().message.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << name_of(result.error().code) << ": " << result.error().message;
}

}  // namespace fuselab::db
