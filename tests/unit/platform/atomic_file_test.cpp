// SPDX-License-Identifier: Apache-2.0
#include "core/platform/files/atomic_file.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/platform/scratch_folder.h"

namespace fuselab::platform {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(AtomicFile, ReplacesTheOldContentWhole) {
  const ScratchFolder folder;
  const auto path = folder.path() / "deep/er/file";
  ASSERT_TRUE(write_file_atomically(path, bytes_of("first, and longer")).ok());
  ASSERT_TRUE(write_file_atomically(path, bytes_of("second")).ok());
  const auto read = read_file(path, {100});
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(text_of(read.value()), "second");
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path.parent_path())) ++files;
  EXPECT_EQ(files, 1);  // nothing temporary is left
}

TEST(AtomicFile, SetsTheModeItIsGiven) {
  const ScratchFolder folder;
  ASSERT_TRUE(write_file_atomically(folder.path() / "key", bytes_of("secret"), 0600).ok());
  EXPECT_EQ(std::filesystem::status(folder.path() / "key").permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(AtomicFile, KeepsTheOldContentWhenItCannotWrite) {
  const ScratchFolder folder;
  folder.write("blocker", "old");  // a file where a folder is needed: fails for every user, root included
  const Status written = write_file_atomically(folder.path() / "blocker/file", bytes_of("new"));
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, ErrorCode::kIo);
  EXPECT_NE(written.error().message.find("blocker"), std::string::npos);
  EXPECT_EQ(text_of(read_file(folder.path() / "blocker", {10}).value()), "old");
}

TEST(AtomicFile, AFolderThatTakesNoFilesIsARefusalNotAnAbsence) {
  const Status written = write_file_atomically("/proc/page.html", bytes_of("new"));  // ENOENT for root
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, ErrorCode::kIo);
  EXPECT_NE(written.error().message.find("'/proc/page.html'"), std::string::npos) << written.error().message;
}

TEST(AtomicFile, RefusesToReadMoreThanAsked) {
  const ScratchFolder folder;
  folder.write("long", std::string(2048, 'x'));
  const auto read = read_file(folder.path() / "long", {1024});
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(read_file(folder.path() / "absent", {1024}).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace fuselab::platform
