// SPDX-License-Identifier: Apache-2.0
// R204: the machine is asked for its devices once per session. Proved by taking the program away that asks.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "app/session/session.h"

namespace fuselab {
namespace {

namespace fs = std::filesystem;

TEST(DevicesOfASession, AreDetectedOnceAndThenRemembered) {
  fs::path const folder = fs::temp_directory_path() / ("fuselab-devices-" + std::to_string(getpid()));
  fs::create_directories(folder);
  session::Config config;
  config.database = folder / "devices.db";
  config.model_directory = folder / "models";
  config.cache_directory = folder / "cache";
  config.key_directory = folder / "keys";
  config.worker_program = folder / "worker";
  fs::create_symlink(FUSELAB_WORKER, config.worker_program);
  auto const session = session::Session::open(config);
  ASSERT_TRUE(session.ok()) << session.error().message;
  auto const detected = session.value()->devices(false);
  ASSERT_TRUE(detected.ok()) << detected.error().message;
  EXPECT_GT(detected.value().size(), 10U);
  fs::remove(config.worker_program);
  auto const remembered = session.value()->devices(false);
  ASSERT_TRUE(remembered.ok()) << remembered.error().message;
  EXPECT_EQ(remembered.value().size(), detected.value().size());
  EXPECT_FALSE(session.value()->devices(true).ok()) << "asking again needs the program";
  fs::remove_all(folder);
}

}  // namespace
}  // namespace fuselab
