// SPDX-License-Identifier: Apache-2.0
#include "core/platform/files/atomic_folder.h"

#include <gtest/gtest.h>

#include "core/platform/files/atomic_file.h"
#include "tests/unit/platform/scratch_folder.h"

namespace fuselab::platform {
namespace {

std::span<const std::byte> bytes_of_text(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string text_of_file(const std::filesystem::path& path) {
  const auto bytes = read_file(path, {100});
  return bytes.ok() ? std::string(reinterpret_cast<const char*>(bytes.value().data()), bytes.value().size()) : "?";
}

std::size_t entries_in(const std::filesystem::path& folder) {
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++entries;
  return entries;
}

TEST(AtomicFolder, HoldsTheseFilesAndNothingElse) {
  const ScratchFolder scratch;
  const auto place = scratch.path() / "new" / "place";
  ASSERT_TRUE(write_folder_atomically(place, {{"a", bytes_of_text("1")}, {"inner/b", bytes_of_text("2")}}).ok());
  EXPECT_EQ(text_of_file(place / "a") + text_of_file(place / "inner" / "b"), "12");
  ASSERT_TRUE(write_folder_atomically(place / "", {{"c", bytes_of_text("3")}}).ok());
  EXPECT_EQ(text_of_file(place / "c"), "3");
  EXPECT_EQ(entries_in(place), 1U);
  EXPECT_EQ(entries_in(place.parent_path()), 1U) << "nothing stays beside it";
}

TEST(AtomicFolder, StaysAsItWasOnAnError) {
  const ScratchFolder scratch;
  const auto place = scratch.path() / "place";
  ASSERT_TRUE(write_folder_atomically(place, {{"a", bytes_of_text("1")}}).ok());
  EXPECT_FALSE(write_folder_atomically(place, {{"b", bytes_of_text("2")}, {"b/c", bytes_of_text("3")}}).ok())
      << "a file cannot be a folder as well";
  EXPECT_EQ(text_of_file(place / "a"), "1");
  EXPECT_EQ(entries_in(place), 1U);
  EXPECT_EQ(entries_in(scratch.path()), 1U);
}

}  // namespace
}  // namespace fuselab::platform
