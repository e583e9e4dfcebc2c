// SPDX-License-Identifier: Apache-2.0
#include "app/wire/frame_reader.h"

#include <gtest/gtest.h>

#include "app/wire/codec.h"
#include "app/wire/frame.h"
#include "tests/unit/wire/sample_messages.h"

namespace fuselab::wire {
namespace {

using std::chrono::milliseconds;

// Gives out bytes in parts of at most `part`; then nothing comes any more.
class Feed {
 public:
  Feed(std::vector<std::byte> bytes, std::size_t part) : bytes_(std::move(bytes)), part_(part) {}
  Result<std::size_t> operator()(std::span<std::byte> into, milliseconds) {
    largest_request = std::max(largest_request, into.size());
    const std::size_t count = std::min({part_, into.size(), bytes_.size() - sent_});
    if (count == 0) return Error{ErrorCode::kTimeout, "nothing"};
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(sent_), count, into.begin());
    sent_ += count;
    return count;
  }
  std::size_t largest_request = 0;

 private:
  std::vector<std::byte> bytes_;
  std::size_t part_;
  std::size_t sent_ = 0;
};

TEST(FrameReader, PutsFramesTogetherFromAnyParts) {
  const auto first = encode(Request(MeasureRequest{"cpu", sample_block()})).value();
  const auto second = encode(Request(ListRequest{})).value();
  std::vector<std::byte> both = first;
  both.insert(both.end(), second.begin(), second.end());
  for (const std::size_t part : {std::size_t{1}, std::size_t{7}, std::size_t{1000}, both.size()}) {
    Feed feed(both, part);
    FrameReader reader(std::ref(feed));
    const auto one = reader.next(milliseconds(1000));
    ASSERT_TRUE(one.ok() && one.value());
    EXPECT_EQ(*one.value(), first);
    const auto two = reader.next(milliseconds(1000));
    ASSERT_TRUE(two.ok() && two.value());
    EXPECT_EQ(*two.value(), second);
    const auto none = reader.next(milliseconds(0));
    ASSERT_TRUE(none.ok());
    EXPECT_FALSE(none.value());
  }
}

TEST(FrameReader, AsksForNoMoreMemoryThanArrives) {
  auto frame = encode(Request(ListRequest{})).value();
  frame.resize(kHeaderBytes);
  frame[8] = std::byte{0};
  frame[11] = std::byte{0x40};  // claims 1 GiB, the most that is allowed
  Feed feed(frame, 1 << 20);
  FrameReader reader(std::ref(feed));
  const auto none = reader.next(milliseconds(0));
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none.value());
  EXPECT_LE(feed.largest_request, std::size_t{1} << 18);
}

TEST(FrameReader, RefusesAbsurdLengthsAndGarbage) {
  auto frame = encode(Request(ListRequest{})).value();
  frame[15] = std::byte{0x7f};
  Feed absurd(frame, 64);
  EXPECT_EQ(FrameReader(std::ref(absurd)).next(milliseconds(0)).error().code, ErrorCode::kCorrupt);
  Feed garbage(std::vector<std::byte>(64, std::byte{'x'}), 64);
  EXPECT_EQ(FrameReader(std::ref(garbage)).next(milliseconds(0)).error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace fuselab::wire
