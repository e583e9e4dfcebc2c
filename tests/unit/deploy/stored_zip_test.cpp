// SPDX-License-Identifier: Apache-2.0
#include "app/deploy/bundle/stored_zip.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/content_hash.h"

namespace fuselab::deploy {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

const std::string kManifest = "{}", kLong(5000, 'w'), kNothing;

ZipEntries entries() {
  return {{"weights.bin", bytes_of(kLong)}, {"manifest.json", bytes_of(kManifest)}, {"kernels/a.so", bytes_of(kNothing)}};
}

TEST(StoredZip, GivesBackWhatWasWritten) {
  const auto file = write_stored_zip(entries());
  ASSERT_TRUE(file.ok());
  const auto read = read_stored_zip(file.value());
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read.value().size(), 3U);
  for (const auto& [name, data] : entries()) {
    const auto found = read.value().at(name);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(found.data()), found.size()),
              std::string(reinterpret_cast<const char*>(data.data()), data.size()));
    EXPECT_EQ((found.data() - file.value().data()) % 64, 0) << name;
  }
}

// The bytes themselves, so that a bundle made today is a bundle tomorrow.
TEST(StoredZip, GivesTheSameBytesEveryTime) {
  EXPECT_EQ(write_stored_zip(entries()).value(), write_stored_zip(entries()).value());
  EXPECT_EQ(ContentHash::of(write_stored_zip(entries()).value()).hex(),
            "f0272699c34e034b8e73790714f35c7f93795fed7b30a312b49e2726bfc8195c");
}

TEST(StoredZip, FindsWhatWasCutOrAdded) {
  const auto file = write_stored_zip(entries()).value();
  for (std::size_t size = 0; size < file.size(); ++size)
    ASSERT_EQ(read_stored_zip(std::span(file).first(size)).error().code, ErrorCode::kCorrupt) << size;
  auto longer = file;
  longer.push_back({});
  EXPECT_FALSE(read_stored_zip(longer).ok());
}

TEST(StoredZip, ReadsNoByteOutsideWhateverChanges) {
  const auto file = write_stored_zip(entries()).value();
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (const unsigned flip : {0x01U, 0x80U, 0xFFU}) {
      auto changed = file;
      changed[at] ^= static_cast<std::byte>(flip);
      const auto read = read_stored_zip(changed);
      if (!read.ok()) continue;
      for (const auto& [name, data] : read.value()) {
        EXPECT_GE(data.data(), changed.data()) << name;
        EXPECT_LE(data.data() + data.size(), changed.data() + changed.size()) << name;
      }
    }
  }
}

}  // namespace
}  // namespace fuselab::deploy
