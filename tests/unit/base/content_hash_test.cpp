// SPDX-License-Identifier: Apache-2.0
#include "core/base/content_hash.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/content_hasher.h"
#include "core/base/sha256_blocks.h"

namespace fuselab {
namespace {

struct Vector {
  std::string message;
  const char* digest;
};

// FIPS 180-4 examples and the NIST CAVP short messages around the padding boundary.
TEST(ContentHash, GivesTheDigestsOfNist) {
  const Vector vectors[] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
       "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
      {"\xd3", "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1"},
      {std::string(1000000, 'a'), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
  };
  for (const Vector& vector : vectors) EXPECT_EQ(ContentHash::of(vector.message).hex(), vector.digest);
}

TEST(ContentHash, IsTheSameInParts) {
  for (const std::size_t size : {0, 1, 55, 56, 63, 64, 65, 119, 120, 1000}) {
    std::string text(size, 'x');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i);
    for (const std::size_t part : {1, 7, 64, 100}) {
      ContentHasher hasher;
      for (std::size_t at = 0; at < size; at += part)
        hasher.add(std::as_bytes(std::span(text)).subspan(at, std::min(part, size - at)));
      EXPECT_EQ(hasher.finish(), ContentHash::of(text)) << size << " bytes, " << part << " at a time";
    }
  }
}

TEST(ContentHash, IsTheSameWithTheProcessorsInstructions) {
  std::vector<std::uint8_t> bytes(64 * 7);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 97 + i / 64);
  std::array<std::uint32_t, 8> one{1, 2, 3, 4, 5, 6, 7, 0xfffffff8}, other = one;
  compress_blocks(one, bytes.data(), 7);
  compress_blocks_plainly(other, bytes.data(), 7);
  EXPECT_EQ(one, other);
}

// Lengths around one and two blocks take every path of the padding; all digests must differ.
TEST(ContentHash, TellsMessagesApartAtEveryPaddingLength) {
  std::vector<ContentHash> seen;
  for (std::size_t length = 0; length <= 130; ++length) {
    const ContentHash hash = ContentHash::of(std::string(length, 'x'));
    EXPECT_THAT(seen, ::testing::Not(::testing::Contains(hash))) << length;
    seen.push_back(hash);
  }
}

TEST(ContentHash, HashesBytesLikeText) {
  const std::byte bytes[] = {std::byte{'a'}, std::byte{'b'}, std::byte{'c'}};
  EXPECT_EQ(ContentHash::of(std::span<const std::byte>(bytes)), ContentHash::of("abc"));
}

TEST(ContentHash, ReadsItsOwnHex) {
  const ContentHash hash = ContentHash::of("fuselab");
  const auto read = ContentHash::from_hex(hash.hex());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value(), hash);
  EXPECT_EQ(hash.short_hex(), hash.hex().substr(0, 12));
}

TEST(ContentHash, RefusesWhatIsNoDigest) {
  EXPECT_FALSE(ContentHash::from_hex("").ok());
  EXPECT_FALSE(ContentHash::from_hex(std::string(63, 'a')).ok());
  EXPECT_FALSE(ContentHash::from_hex(std::string(65, 'a')).ok());
  const auto wrong = ContentHash::from_hex(std::string(63, 'a') + "g");
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().code, ErrorCode::kInvalidArgument);
}

TEST(ContentHash, IsEmptyUntilItHashesSomething) {
  EXPECT_TRUE(ContentHash().empty());
  EXPECT_FALSE(ContentHash::of("").empty());
}

TEST(IdentityHasher, KeepsFieldBoundaries) {
  const auto joined = IdentityHasher("kind").add("a", "bc").finish();
  const auto shifted = IdentityHasher("kind").add("ab", "c").finish();
  const auto split = IdentityHasher("kind").add("a", "b").add("", "c").finish();
  EXPECT_NE(joined, shifted);
  EXPECT_NE(joined, split);
  EXPECT_NE(shifted, split);
}

TEST(IdentityHasher, DependsOnKindAndOnEveryField) {
  const auto base = IdentityHasher("kernel").add("flags", "-O2").finish();
  EXPECT_NE(base, IdentityHasher("metric").add("flags", "-O2").finish());
  EXPECT_NE(base, IdentityHasher("kernel").add("flags", "-O3").finish());
  EXPECT_NE(base, IdentityHasher("kernel").add("flags", "-O2").add("version", std::int64_t{1}).finish());
  EXPECT_EQ(base, IdentityHasher("kernel").add("flags", "-O2").finish());
}

}  // namespace
}  // namespace fuselab
