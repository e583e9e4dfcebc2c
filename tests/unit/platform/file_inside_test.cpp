// SPDX-License-Identifier: Apache-2.0
#include "core/platform/files/file_inside.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "scratch_folder.h"

namespace fuselab::platform {
namespace {

using ::testing::HasSubstr;

class InsideOfAFolder : public ::testing::Test {
 protected:
  std::filesystem::path folder() const { return scratch_.path() / "folder"; }
  void SetUp() override {
    scratch_.write("secret", "nobody's business");
    scratch_.write("folder/data/w.bin", "0123456789");
  }

  void expect_refused(const std::filesystem::path& name, const std::string& because, ErrorCode code = ErrorCode::kInvalidArgument) {
    const auto file = FileInside::open(folder(), name);
    ASSERT_FALSE(file.ok()) << name;
    EXPECT_THAT(file.error().message, HasSubstr(because)) << name;
    EXPECT_EQ(file.error().code, code) << name;
  }

  ScratchFolder scratch_;
};

TEST_F(InsideOfAFolder, OrdinaryFilesAreRead) {
  for (const auto* name : {"data/w.bin", "./data//w.bin", "data/./w.bin"}) {
    const auto file = FileInside::open(folder(), name);
    ASSERT_TRUE(file.ok()) << file.error().message;
    EXPECT_EQ(file.value().size(), 10);
    EXPECT_EQ(file.value().read(0, 10).value(), "0123456789");
    EXPECT_EQ(file.value().read(3, 4).value(), "3456");
    EXPECT_EQ(file.value().read(10, 0).value(), "");
  }
}

TEST_F(InsideOfAFolder, TheFolderItselfMayBeReachedThroughALink) {
  std::filesystem::create_directory_symlink(folder(), scratch_.path() / "way");
  EXPECT_TRUE(FileInside::open(scratch_.path() / "way", "data/w.bin").ok());
}

TEST_F(InsideOfAFolder, NamesThatLeadElsewhereAreRefused) {
  expect_refused(scratch_.path() / "secret", "is an absolute path");
  expect_refused("../secret", "leads out of the folder");
  expect_refused("data/../../secret", "leads out of the folder");
  expect_refused("data/..", "leads out of the folder");
  expect_refused("", "is no file name");
  expect_refused(std::string("data\0/w.bin", 11), "is no file name");
}

TEST_F(InsideOfAFolder, LinksAreRefusedWhereverTheyStand) {
  std::filesystem::create_symlink(scratch_.path() / "secret", folder() / "link");
  std::filesystem::create_symlink(folder() / "data" / "w.bin", folder() / "data" / "harmless");
  std::filesystem::create_directory_symlink(scratch_.path(), folder() / "door");
  std::filesystem::create_symlink(folder() / "nowhere", folder() / "broken");
  expect_refused("link", "symbolic link");
  expect_refused("data/harmless", "symbolic link");
  expect_refused("door/secret", "symbolic link");
  expect_refused("door/folder/data/w.bin", "symbolic link");
  expect_refused("broken", "symbolic link");
}

TEST_F(InsideOfAFolder, LinksAreFollowedWhereTheCallerSaysSo) {
  std::filesystem::create_symlink("../secret", folder() / "link");
  std::filesystem::create_directory_symlink(scratch_.path(), folder() / "door");
  std::filesystem::create_symlink("broken", folder() / "broken");
  ASSERT_EQ(mkfifo((scratch_.path() / "pipe").c_str(), 0600), 0);
  for (const auto* name : {"link", "door/secret", "door/folder/link"}) {
    const auto file = FileInside::open(folder(), name, Links::kFollowed);
    ASSERT_TRUE(file.ok()) << name << " " << file.error().message;
    EXPECT_EQ(file.value().read(0, 6).value(), "nobody");
  }
  for (const auto* name : {"../secret", "door/../../secret", "door/pipe", "door", "broken", "/etc/hostname"})
    EXPECT_EQ(FileInside::open(folder(), name, Links::kFollowed).error().code, ErrorCode::kInvalidArgument) << name;
}

TEST_F(InsideOfAFolder, OnlyOrdinaryFilesAreOpened) {
  ASSERT_EQ(mkfifo((folder() / "pipe").c_str(), 0600), 0);
  expect_refused("pipe", "no ordinary file");  // opening it would wait for ever
  expect_refused("data", "no ordinary file");
  expect_refused("data/", "no ordinary file");
  expect_refused(".", "no ordinary file");
}

TEST_F(InsideOfAFolder, WhatIsNotThereIsToldFromWhatIsRefused) {
  expect_refused("gone", "cannot be looked at", ErrorCode::kNotFound);
  expect_refused("gone/w.bin", "cannot be looked at", ErrorCode::kNotFound);
  expect_refused("data/w.bin/more", "cannot be looked at", ErrorCode::kNotFound);
  expect_refused("data/w.bin/", "cannot be looked at", ErrorCode::kNotFound);
  expect_refused(std::string(300, 'n'), "cannot be looked at", ErrorCode::kIo);
  EXPECT_EQ(FileInside::open(scratch_.path() / "gone", "w.bin").error().code, ErrorCode::kNotFound);
}

TEST_F(InsideOfAFolder, WhatWasCheckedIsWhatIsRead) {
  const auto file = FileInside::open(folder(), "data/w.bin");
  ASSERT_TRUE(file.ok()) << file.error().message;
  std::filesystem::remove(folder() / "data" / "w.bin");
  std::filesystem::create_symlink(scratch_.path() / "secret", folder() / "data" / "w.bin");
  EXPECT_EQ(file.value().read(0, 10).value(), "0123456789");
}

TEST_F(InsideOfAFolder, BytesThatTheFileDoesNotHaveAreAnError) {
  const auto file = FileInside::open(folder(), "data/w.bin");
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file.value().read(4, 7).error().code, ErrorCode::kIo);
  EXPECT_EQ(file.value().read(11, 0).error().code, ErrorCode::kIo);
  EXPECT_EQ(file.value().read(INT64_MAX, INT64_MAX).error().code, ErrorCode::kIo);
  std::filesystem::resize_file(folder() / "data" / "w.bin", 5);
  EXPECT_EQ(file.value().read(0, 5).value(), "01234");
  EXPECT_THAT(file.value().read(0, 10).error().message, HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace fuselab::platform
