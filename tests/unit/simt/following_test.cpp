// SPDX-License-Identifier: Apache-2.0
// Kernels that follow the first of a module: each with a grid of its own, on what those before it left.
#include <gmock/gmock.h>

#include <cstring>

#include "backends/emulator/emulated_kernel.h"

namespace fuselab::simt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Twice the elements into scratch, then their sums by four blocks, then the sum of these.
constexpr const char* kText = R"(constexpr int kPart = 8;
extern "C" FL_KERNEL(32) void k(const float* FL_RESTRICT x, float* FL_RESTRICT y, float* FL_RESTRICT scratch) {
  scratch[fl_thread()] = 2.0f * x[fl_thread()];
}

extern "C" FL_KERNEL(32) void k_fold(const float* FL_RESTRICT x, float* FL_RESTRICT y, float* FL_RESTRICT scratch) {
  FL_DYNAMIC_SHARED(float, part, 8, 0);
  part[fl_thread()] = scratch[fl_block() * kPart + fl_thread()];
  fl_barrier();
  if (fl_thread() == 0) {
    float sum = 0.0f;
    for (int i = 0; i < kPart; ++i) sum += part[i];
    scratch[32 + fl_block()] = sum;
  }
}

extern "C" FL_KERNEL(1) void k_fold2(const float* FL_RESTRICT x, float* FL_RESTRICT y, float* FL_RESTRICT scratch) {
  y[0] = scratch[32] + scratch[33] + scratch[34] + scratch[35];
}
)";

SourceModule module_of(std::vector<FollowingLaunch> after) {
  SourceModule source;
  source.entry = source.abi.entry = "k";
  source.text = kText;
  source.abi.block_x = {"32"};
  source.abi.arguments = {{"x", BufferRole::kIn, {DType::kF32, {32}}, 64},
                          {"y", BufferRole::kOut, {DType::kF32, {1}}, 64},
                          {"scratch", BufferRole::kScratch, {DType::kU8, {36 * 4}}, 64}};
  source.abi.after = std::move(after);
  return source;
}

Result<std::vector<std::vector<std::byte>>> run(const SourceModule& source) {
  const auto object = KernelObject::compile(texts_of(source));
  if (!object.ok()) return object.error();
  std::vector<std::byte> x(32 * 4);
  for (int i = 0; i < 32; ++i) {
    const auto value = static_cast<float>(i);
    std::memcpy(x.data() + 4 * i, &value, 4);
  }
  const std::vector<std::vector<std::byte>> inputs = {x};
  return run_emulated(source.abi, *object.value(), 0, inputs, 3);
}

TEST(FollowingLaunches, RunOnWhatThoseBeforeThemLeft) {
  const SourceModule source = module_of({{"k_fold", {"2 * multiprocessors"}, {"8"}, {"32"}}, {"k_fold2", {"1"}, {"1"}, {"0"}}});
  const std::vector<KernelText> texts = texts_of(source);
  ASSERT_EQ(texts.size(), 3U);
  for (const KernelText& each : texts) EXPECT_THAT(each.body, HasSubstr("kPart = 8;")) << "what precedes them all";
  EXPECT_EQ(texts[2].entry, "k_fold2");
  EXPECT_EQ(texts[1].body.find("k_fold2"), std::string::npos);
  const auto outputs = run(source);
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  float sum = 0;
  std::memcpy(&sum, outputs.value().front().data(), 4);
  EXPECT_EQ(sum, 2 * 31 * 16);
}

TEST(FollowingLaunches, AreJudgedLikeTheFirst) {
  const auto finding_of = [](std::vector<FollowingLaunch> after) {
    const auto outputs = run(module_of(std::move(after)));
    return outputs.ok() ? "" : outputs.error().message;
  };
  EXPECT_THAT(finding_of({{"k_fold", {"5"}, {"8"}, {"32"}}, {"k_fold2", {"1"}, {"1"}, {"0"}}}), HasSubstr("scratch"))
      << "a fifth block reads what is not there";
  EXPECT_THAT(finding_of({{"k_fold", {"4"}, {"8"}, {"0"}}, {"k_fold2", {"1"}, {"1"}, {"0"}}}), HasSubstr("part"));
  EXPECT_THAT(finding_of({{"k_fold", {"4"}, {"64"}, {"32"}}, {"k_fold2", {"1"}, {"1"}, {"0"}}}),
              HasSubstr("a block of 64 threads; the kernel takes 1 to 32"));
  EXPECT_THAT(finding_of({{"k_fold", {"4"}, {"8"}, {"32"}}, {"k_fold2", {"1"}, {"1"}, {"0"}}, {"k_fold3", {"1"}, {"1"}, {"0"}}}),
              HasSubstr("the text has no kernel k_fold3, which its record launches behind k"));
}

}  // namespace
}  // namespace fuselab::simt
