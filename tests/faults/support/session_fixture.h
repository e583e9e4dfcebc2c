// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "app/session/session.h"
#include "tests/faults/support/folder_test.h"

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
