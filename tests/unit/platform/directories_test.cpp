// SPDX-License-Identifier: Apache-2.0
#include "core/platform/files/directories.h"

#include <gtest/gtest.h>

#include "tests/unit/platform/scratch_folder.h"

namespace fuselab::platform {
namespace {

TEST(WritableFolder, MayHaveYetToBeMade) {
  const ScratchFolder scratch;
  EXPECT_TRUE(check_writable(scratch.path()).ok());
  EXPECT_TRUE(check_writable(scratch.path() / "some" / "thing").ok());
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path())) << "looking makes nothing";
}

TEST(WritableFolder, IsNoFileAndLiesBelowNone) {
  const ScratchFolder scratch;
  scratch.write("file", "text");
  for (const auto& folder : {scratch.path() / "file", scratch.path() / "file" / "below"}) {
    const Status refused = check_writable(folder);
    ASSERT_FALSE(refused.ok()) << folder;
    EXPECT_EQ(refused.error().code, ErrorCode::kIo);
    EXPECT_NE(refused.error().message.find((scratch.path() / "file").string()), std::string::npos) << refused.error().message;
  }
}

TEST(WritableFolder, IsThisOneWhereNoneIsNamed) {
  EXPECT_EQ(check_writable("").ok(), check_writable(".").ok());
}

}  // namespace
}  // namespace fuselab::platform
