// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/driver/cubin_reader.h"

#include <gmock/gmock.h>

#include "core/base/random.h"
#include "tests/support/fake_cuda/fake_cubin.h"

namespace fuselab::cuda {
namespace {

using fake_cuda::fake_cubin;

std::vector<std::byte> two_kernels(bool reserved = true) {
  return fake_cubin({{"first", 3, 40, 16, 256, 2048}, {"second", 1, 255, 0, 1024, 0}}, "text", reserved);
}

TEST(CubinReader, ReadsEachKernelsOwnRecords) {
  const auto bytes = two_kernels();
  const auto first = read_cubin(bytes, "first");
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_EQ(first.value().registers, 40);
  EXPECT_EQ(first.value().stack_bytes, 16);
  EXPECT_EQ(first.value().max_threads, 256);
  EXPECT_EQ(first.value().shared_bytes, 2048);
  EXPECT_EQ(first.value().parameters, 3);
  EXPECT_EQ(first.value().code_bytes, 128);
  const auto second = read_cubin(bytes, "second");
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_EQ(second.value().registers, 255);
  EXPECT_EQ(second.value().shared_bytes, 0);
}

TEST(CubinReader, LeavesOutWhatTheDriverReserves) {
  const auto with = read_cubin(two_kernels(true), "first");
  const auto without = read_cubin(two_kernels(false), "first");
  ASSERT_TRUE(with.ok() && without.ok());
  EXPECT_EQ(with.value().shared_bytes, without.value().shared_bytes);
}

TEST(CubinReader, SaysThatAKernelIsNotThere) {
  const auto missing = read_cubin(two_kernels(), "third");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(missing.error().message, "the cubin has no kernel 'third'");
}

TEST(CubinReader, RefusesWhatIsNoCubin) {
  for (const auto* text : {"",
                           "\x7f"
                           "ELF",
                           "not an object file, but longer than the header of one, so that its words would be read"}) {
    const std::string_view view(text);
    const auto read = read_cubin(std::as_bytes(std::span(view.data(), view.size())), "first");
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
  }
}

TEST(CubinReader, SurvivesEveryTruncation) {
  const auto whole = two_kernels();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));  // exact, for sanitizers
    EXPECT_FALSE(read_cubin(cut, "first").ok()) << size;
  }
}

TEST(CubinReader, SurvivesRandomDamage) {
  const auto whole = two_kernels();
  SeededRandom random(20261121);
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    auto damaged = whole;
    for (std::uint64_t i = 1 + random.below(8); i > 0; --i) {
      damaged[random.below(damaged.size())] = static_cast<std::byte>(random.below(256));
    }
    const auto read = read_cubin(damaged, "first");
    if (!read.ok()) ++refused;
  }
  EXPECT_GT(refused, 100) << "the damage hits nothing that is read";
}

}  // namespace
}  // namespace fuselab::cuda
