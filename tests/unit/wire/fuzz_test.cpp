// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "app/wire/codec.h"
#include "app/wire/frame.h"
#include "core/base/random.h"
#include "tests/support/rotation.h"
#include "tests/unit/wire/sample_messages.h"

namespace fuselab::wire {
namespace {

constexpr int kMutations = 100'000;
constexpr int kSampledMutations = 5'000;  // which the seed chooses

// One of the ways bytes go wrong: flips, foreign bytes, cuts, repeats, insertions; the length in the header is often put right
// again, so that the damage reaches the parser behind it.
std::vector<std::byte> mutated(std::vector<std::byte> frame, SeededRandom& random) {
  const int changes = 1 + static_cast<int>(random.below(4));
  for (int i = 0; i < changes && !frame.empty(); ++i) {
    const std::size_t at = random.below(frame.size());
    const auto place = frame.begin() + static_cast<std::ptrdiff_t>(at);
    switch (random.below(5)) {
      case 0: frame[at] ^= static_cast<std::byte>(1U << random.below(8)); break;
      case 1: frame[at] = static_cast<std::byte>(random.next()); break;
      case 2: frame.resize(at); break;
      case 3: frame.insert(place, 1 + random.below(16), static_cast<std::byte>(random.next())); break;
      default:
        frame.erase(place, place + static_cast<std::ptrdiff_t>(std::min<std::size_t>(frame.size() - at, 1 + random.below(8))));
    }
  }
  if (frame.size() < kHeaderBytes || random.below(4) == 0) return frame;
  return make_frame(static_cast<std::uint16_t>(random.below(12)), std::span(frame).subspan(kHeaderBytes));
}

// Whatever arrives, decoding ends in a message or in one clear error; whatever was understood can be said again.
TEST(WireFuzz, MutatedFramesGiveAMessageOrOneClearError) {
  std::vector<std::vector<std::byte>> seeds;
  for (const Request& request : sample_requests()) seeds.push_back(encode(request).value());
  for (const Reply& reply : sample_replies()) seeds.push_back(encode(reply).value());
  const std::uint64_t seed = 20260301 + test::sample_seed();
  const int mutations = test::run_everything() ? kMutations : kSampledMutations;
  SCOPED_TRACE("seed " + std::to_string(seed));
  SeededRandom random(seed);
  int refused = 0;
  for (int i = 0; i < mutations; ++i) {
    const std::vector<std::byte> frame = mutated(seeds[random.below(seeds.size())], random);
    const auto request = decode_request(frame);
    const auto reply = decode_reply(frame);
    for (const Error* const error : {request.ok() ? nullptr : &request.error(), reply.ok() ? nullptr : &reply.error()}) {
      if (error == nullptr) continue;
      ++refused;
      ASSERT_EQ(error->code, ErrorCode::kCorrupt) << "mutation " << i << ": " << error->message;
      ASSERT_FALSE(error->message.empty());
    }
    ASSERT_TRUE(!request.ok() || encode(request.value()).ok()) << "mutation " << i;
    ASSERT_TRUE(!reply.ok() || encode(reply.value()).ok()) << "mutation " << i;
  }
  EXPECT_GT(refused, mutations / 2);
  EXPECT_LT(refused, 2 * mutations);  // some survive: the mutations are not all trivial
}

TEST(WireFuzz, DeepNestingIsRefused) {
  const std::vector<std::byte> deep(16 << 20, std::byte{0x81});  // arrays of one array of one …
  EXPECT_EQ(decode_request(make_frame(0, deep)).error().code, ErrorCode::kCorrupt);
  const std::vector<std::byte> endless(16 << 20, std::byte{0x9f});
  EXPECT_EQ(decode_reply(make_frame(0, endless)).error().code, ErrorCode::kCorrupt);
}

TEST(WireFuzz, ClaimedSizesTakeNoMemory) {
  for (const int kind : {0x5b, 0x7b, 0x9b, 0xbb}) {  // bytes, text, array, map with a 64-bit length
    std::vector<std::byte> payload(9, std::byte{0x7f});
    payload[0] = static_cast<std::byte>(kind);
    EXPECT_EQ(decode_request(make_frame(0, payload)).error().code, ErrorCode::kCorrupt);
  }
}

TEST(WireFuzz, TooManyTinyValuesAreRefused) {
  std::vector<std::byte> payload = {std::byte{0x9f}};  // an array without a length
  payload.resize(9'000'000, std::byte{0x00});
  payload.push_back(std::byte{0xff});
  const auto read = decode_request(make_frame(0, payload));
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("too many values"), std::string::npos);
}

}  // namespace
}  // namespace fuselab::wire
