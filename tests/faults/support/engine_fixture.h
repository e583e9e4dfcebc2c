// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "app/engine/job/engine.h"
#include "tests/faults/support/folder_test.h"

namespace fuselab {

// Everything that a session keeps, in one folder; its worker is the one that was built.
inline engine::Config config_in(const std::filesystem::path& folder) {
  engine::Config config;
  config.database = folder / "results.db";
  config.model_directory = folder / "models";
  config.cache_directory = folder / "cache";
  config.key_directory = folder / "keys";
  config.worker_program = FUSELAB_WORKER;
  return config;
}

// An open session in such a folder.
class EngineTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    auto opened = engine::Engine::open(config_in(folder_));
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    engine_ = std::move(opened).value();
  }
  void TearDown() override {
    engine_.reset();
    FolderTest::TearDown();
  }

  std::unique_ptr<engine::Engine> engine_;
};

}  // namespace fuselab
