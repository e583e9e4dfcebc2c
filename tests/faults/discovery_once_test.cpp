// SPDX-License-Identifier: Apache-2.0
// R204: the machine is asked for its devices once per session. Proved by taking the program away that asks.
#include <filesystem>

#include "tests/faults/support/engine_fixture.h"

namespace fuselab {
namespace {

namespace fs = std::filesystem;

using DevicesOfASession = FolderTest;

TEST_F(DevicesOfASession, AreDetectedOnceAndThenRemembered) {
  engine::Config config = config_in(folder_);
  config.worker_program = folder_ / "worker";
  fs::create_symlink(FUSELAB_WORKER, config.worker_program);
  const auto engine = engine::Engine::open(config);
  ASSERT_TRUE(engine.ok()) << engine.error().message;
  const auto detected = engine.value()->devices(false);
  ASSERT_TRUE(detected.ok()) << detected.error().message;
  EXPECT_GT(detected.value().size(), 10U);
  fs::remove(config.worker_program);
  const auto remembered = engine.value()->devices(false);
  ASSERT_TRUE(remembered.ok()) << remembered.error().message;
  EXPECT_EQ(remembered.value().size(), detected.value().size());
  EXPECT_FALSE(engine.value()->devices(true).ok()) << "asking again needs the program";
}

}  // namespace
}  // namespace fuselab
