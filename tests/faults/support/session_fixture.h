// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "app/session/session.h"

namespace fuselab {

// Everything that a session keeps, in one folder; its worker is the one that was built.
inline session::Config config_in(const std::filesystem::path& folder) {
  session::Config config;
  config.database = folder / "results.db";
  config.model_directory = folder / "models";
  config.cache_directory = folder / "cache";
  config.key_directory = folder / "keys";
  config.worker_program = FUSELAB_WORKER;
  return config;
}

// A folder of this process that goes with the test.
class FolderTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / ("fuselab-faults-" + std::to_string(getpid()));
};

// An open session in such a folder.
class SessionTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    auto opened = session::Session::open(config_in(folder_));
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    session_ = std::move(opened).value();
  }
  void TearDown() override {
    session_.reset();
    FolderTest::TearDown();
  }

  std::unique_ptr<session::Session> session_;
};

}  // namespace fuselab
