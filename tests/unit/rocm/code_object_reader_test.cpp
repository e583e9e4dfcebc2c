// SPDX-License-Identifier: Apache-2.0
#include "backends/rocm/driver/code_object_reader.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "core/base/random.h"

namespace fuselab::hip {
namespace {

// Made by a real clang (fixtures/two.hip).
std::vector<std::byte> two_kernels() {
  std::ifstream file(FUSELAB_ROCM_FIXTURES "/two.gfx942.hsaco", std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

TEST(CodeObjectReader, ReadsEachKernelsOwnNotes) {
  const auto bytes = two_kernels();
  const auto first = read_code_object(bytes, "first");
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_EQ(first.value().registers, 3);
  EXPECT_EQ(first.value().accumulators, 0);
  EXPECT_EQ(first.value().scalar_registers, 14);
  EXPECT_EQ(first.value().spill_bytes, 0);
  EXPECT_EQ(first.value().max_threads, 256);
  EXPECT_EQ(first.value().shared_bytes, 2048);
  EXPECT_EQ(first.value().lanes, 64);
  EXPECT_EQ(first.value().parameters, 3);
  const auto second = read_code_object(bytes, "second");
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_EQ(second.value().registers, 19);
  EXPECT_EQ(second.value().max_threads, 64);
  EXPECT_EQ(second.value().shared_bytes, 0);
  EXPECT_EQ(second.value().parameters, 2);
  EXPECT_GT(second.value().code_bytes, first.value().code_bytes);
}

TEST(CodeObjectReader, SaysThatAKernelIsNotThere) {
  const auto missing = read_code_object(two_kernels(), "third");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(missing.error().message, "the code object has no kernel 'third'");
}

TEST(CodeObjectReader, RefusesCodeOfAnotherMachine) {
  auto bytes = two_kernels();
  bytes[18] = std::byte{190};  // NVIDIA's
  const auto read = read_code_object(bytes, "first");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().message, "not a whole code object: it is code for another machine");
}

TEST(CodeObjectReader, SurvivesEveryTruncation) {
  const auto bytes = two_kernels();
  for (std::size_t size = 0; size < bytes.size(); size += 7) {
    const auto read = read_code_object(std::span(bytes).first(size), "first");
    ASSERT_FALSE(read.ok()) << size;
    EXPECT_EQ(read.error().code, ErrorCode::kCorrupt) << size;
  }
}

TEST(CodeObjectReader, SurvivesWrongBytes) {
  const auto bytes = two_kernels();
  SeededRandom random(48);
  for (int i = 0; i < 3000; ++i) {
    auto wrong = bytes;
    for (int change = 0; change < 3; ++change) wrong[random.below(wrong.size())] = static_cast<std::byte>(random.below(256));
    const auto read = read_code_object(wrong, "first");
    if (read.ok()) {
      EXPECT_GE(read.value().shared_bytes, 0);
    }
  }
}

}  // namespace
}  // namespace fuselab::hip
