// SPDX-License-Identifier: Apache-2.0
#include "core/platform/files/file_room.h"

#include <gtest/gtest.h>

namespace fuselab::platform {
namespace {

TEST(FileRoom, IsWhatTheFileSystemHasLeft) {
  const auto room = file_room(std::filesystem::temp_directory_path());
  ASSERT_TRUE(room.ok()) << room.error().message;
  const auto space = std::filesystem::space(std::filesystem::temp_directory_path());
  EXPECT_NEAR(static_cast<double>(room.value().free.count), static_cast<double>(space.available), 1 << 30) << "others write, too";
}

TEST(FileRoom, TellsWhatLiesInMemory) {
  if (!std::filesystem::is_directory("/dev/shm")) GTEST_SKIP() << "no /dev/shm here";
  EXPECT_TRUE(file_room("/dev/shm").value().in_memory);
  EXPECT_FALSE(file_room("/proc").value().in_memory);
}

TEST(FileRoom, OfAFolderThatIsNotThereIsAnError) {
  EXPECT_FALSE(file_room("/nowhere/at/all").ok());
}

}  // namespace
}  // namespace fuselab::platform
