// SPDX-License-Identifier: Apache-2.0
// The executor judges generated kernels, so it is judged first: a sound kernel passes with the right sums, and each way to be
// wrong is found and named, whatever the order of the threads.
#include <gmock/gmock.h>

#include <cstring>

#include "backends/emulator/launch.h"

namespace fuselab::simt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int kThreads = 128;
constexpr int kRows = 3;
constexpr int kColumns = 257;  // no multiple of anything

// Sums of rows: each thread a stride of columns, warps by shuffles, the block through shared memory.
constexpr const char* kRowSum = R"(extern "C" FL_KERNEL(128) void row_sum(const float* FL_RESTRICT x, float* FL_RESTRICT y) {
  FL_SHARED(float, partial, 4);
  const long long row = fl_block();
  float sum = 0.0f;
  for (int col = fl_thread(); col < 257; col += 128) sum += x[row * 257 + col];
  for (int mask = 16; mask > 0; mask /= 2) sum += fl_shuffle_xor(sum, mask, 32);
  if (fl_lane() == 0) partial[fl_warp()] = sum;
  fl_barrier();
  if (fl_thread() == 0) y[row] = partial[0] + partial[1] + partial[2] + partial[3];
}
)";

std::vector<std::byte> bytes_of(const std::vector<float>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::vector<float> floats_of(const Argument& argument) {
  std::vector<float> values(argument.bytes.size() / sizeof(float));
  std::memcpy(values.data(), argument.bytes.data(), argument.bytes.size());
  return values;
}

Argument input(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i % 17) - 5.0F;
  return {"x", BufferUse::kRead, 4, 64, bytes_of(values)};
}

Argument output(std::size_t count) {
  return {"y", BufferUse::kWrite, 4, 64, std::vector<std::byte>(count * 4, std::byte{0xFF})};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "the kernel does not have: " << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

struct Ran {
  Outcome outcome;
  std::vector<float> y;
};

Ran run(const std::string& entry, const std::string& body, LaunchShape shape, std::size_t inputs, std::size_t outputs,
        LaunchLimits limits = {}) {
  const KernelText text{entry, body};
  const auto object = KernelObject::compile({&text, 1});
  EXPECT_TRUE(object.ok()) << object.error().message;
  if (!object.ok()) return {};
  Argument arguments[] = {input(inputs), output(outputs)};
  Ran result;
  result.outcome = run_launch(*object.value(), 0, shape, arguments, limits);
  result.y = floats_of(arguments[1]);
  return result;
}

Ran run_sum(const std::string& body, LaunchLimits limits = {}) {
  return run("row_sum", body, {kRows, kThreads}, kRows * kColumns, kRows, limits);
}

std::vector<float> right_sums() {
  const std::vector<float> x = floats_of(input(kRows * kColumns));
  std::vector<float> sums(kRows);
  for (std::size_t i = 0; i < x.size(); ++i) sums[i / kColumns] += x[i];
  return sums;
}

// A kernel of 64 threads, one block, 64 floats in and out.
std::string finding_of(const std::string& statements, LaunchLimits limits = {}) {
  const std::string body =
      "extern \"C\" FL_KERNEL(64) void k(const float* FL_RESTRICT x, float* FL_RESTRICT y) {\n" + statements + "\n}\n";
  return run("k", body, {1, 64}, 64, 64, limits).outcome.finding;
}

TEST(SimtExecutor, RunsASoundReductionInEveryOrder) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Ran whole = run_sum(kRowSum, {seed, 1'000'000});
    EXPECT_EQ(whole.outcome.finding, "");
    EXPECT_EQ(whole.y, right_sums());
    EXPECT_EQ(whole.outcome.switches, kRows * kThreads * 7);  // from the start, five shuffles and a barrier
  }
}

TEST(SimtExecutor, FindsARemovedBarrierInEveryOrder) {
  const std::string broken = replaced(kRowSum, "  fl_barrier();\n", "");
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::string finding = run_sum(broken, {seed, 1'000'000}).outcome.finding;
    EXPECT_THAT(finding, AllOf(HasSubstr("partial["), HasSubstr("[order seed " + std::to_string(seed) + "]")));
    EXPECT_TRUE(finding.find("no barrier between") != std::string::npos || finding.find("has written") != std::string::npos)
        << finding;
  }
}

TEST(SimtExecutor, NamesBothThreadsAndLinesOfARace) {
  EXPECT_THAT(finding_of("  FL_SHARED(float, s, 64);\n  s[fl_thread()] = x[fl_thread()];\n  s[0] = 1.0f;"),
              AllOf(HasSubstr("of block 0 writes s[0] in line"), HasSubstr("`s[0] = 1.0f;`"), HasSubstr("and thread"),
                    HasSubstr("with no barrier between them")));
}

TEST(SimtExecutor, FindsARaceBetweenBlocks) {
  const std::string body = "extern \"C\" FL_KERNEL(32) void k(const float* x, float* y) { y[fl_thread()] = x[fl_block()]; }";
  EXPECT_THAT(run("k", body, {2, 32}, 64, 32).outcome.finding, HasSubstr("blocks run in any order"));
}

TEST(SimtExecutor, FindsAnOffByOneBound) {
  EXPECT_THAT(run_sum(replaced(kRowSum, "col < 257", "col <= 257")).outcome.finding,
              AllOf(HasSubstr("reads 4 bytes out of bounds in line 5"), HasSubstr("0 bytes past the end of buffer x")));
}

TEST(SimtExecutor, FindsAMissingMask) {
  EXPECT_THAT(finding_of("  y[fl_thread() + 1] = x[fl_thread()];"), HasSubstr("0 bytes past the end of buffer y"));
}

TEST(SimtExecutor, LetsAWrongShuffleWidthGiveTheWrongSum) {
  const Ran narrow = run_sum(replaced(kRowSum, "mask, 32", "mask, 16"));
  EXPECT_EQ(narrow.outcome.finding, "");
  EXPECT_NE(narrow.y, right_sums());
}

TEST(SimtExecutor, RefusesAWidthThatNoDeviceHas) {
  EXPECT_THAT(run_sum(replaced(kRowSum, "mask, 32", "mask, 24")).outcome.finding,
              HasSubstr("width 24, which is not a power of two"));
}

TEST(SimtExecutor, FindsABarrierThatSomeThreadsNeverReach) {
  EXPECT_THAT(finding_of("  if (fl_thread() >= 40) return;\n  fl_barrier();\n  y[fl_thread()] = 0.0f;"),
              AllOf(HasSubstr("threads 40-63 have ended"), HasSubstr("threads 0-39 wait at the barrier in line 3")));
}

TEST(SimtExecutor, FindsThreadsAtDifferentBarriers) {
  EXPECT_THAT(
      finding_of("  if (fl_thread() < 32) {\n    fl_barrier();\n  } else {\n    fl_barrier();\n  }"),
      AllOf(HasSubstr("threads 0-31 wait at the barrier in line 3"), HasSubstr("threads 32-63 wait at the barrier in line 5")));
}

TEST(SimtExecutor, FindsAShuffleWithoutAllLanes) {
  EXPECT_THAT(finding_of("  if (fl_lane() == 7) return;\n  y[fl_thread()] = fl_shuffle_down(x[fl_thread()], 1, 32);"),
              AllOf(HasSubstr("threads 7, 39 have ended"), HasSubstr("wait in a shuffle in line 3")));
  EXPECT_THAT(finding_of("  float v = x[fl_thread()];\n  if (fl_thread() == 5) fl_barrier(); else v = fl_shuffle(v, 0, 32);"),
              AllOf(HasSubstr("threads 5 wait at the barrier"), HasSubstr("wait in a shuffle")));
}

TEST(SimtExecutor, FindsLanesInDifferentShuffles) {
  EXPECT_THAT(finding_of("  float v = x[fl_thread()];\n  if (fl_lane() < 16) v += fl_shuffle_xor(v, 1, 32);\n  else v += "
                         "fl_shuffle_xor(v, 1, 16);\n"
                         "  y[fl_thread()] = v;"),
              HasSubstr("part ways: lane 0 is in fl_shuffle_xor of width 32"));
}

TEST(SimtExecutor, FindsSharedAccessOutOfBounds) {
  EXPECT_THAT(
      finding_of("  FL_SHARED(float, s, 64);\n  FL_SHARED(float, t, 64);\n  s[fl_thread() + 1] = x[fl_thread()];\n  t[fl_thread()] "
                 "= 0.0f;"),
      AllOf(HasSubstr("thread 63 of block 0 writes 4 bytes out of bounds"), HasSubstr("0 bytes past the end of shared array s")));
}

TEST(SimtExecutor, FindsStaleSharedMemory) {
  EXPECT_THAT(finding_of("  FL_SHARED(float, s, 64);\n  if (fl_thread() < 63) s[fl_thread()] = 1.0f;\n  fl_barrier();\n  "
                         "y[fl_thread()] = s[fl_thread()];"),
              HasSubstr("reads s[63] in line 5 (`y[fl_thread()] = s[fl_thread()];`), which no thread of this block has written"));
}

TEST(SimtExecutor, FindsAMisalignedVector) {
  EXPECT_THAT(
      finding_of("  if (fl_thread() < 15) fl_store<float, 4>(y + 4 * fl_thread(), fl_load<float, 4>(x + 4 * fl_thread() + 1));"),
      AllOf(HasSubstr("a vector of 16 bytes at a misaligned address"), HasSubstr("4 bytes off")));
}

TEST(SimtExecutor, FindsWritesToAnInputAndReadsOfAnUnwrittenOutput) {
  EXPECT_THAT(finding_of("  const_cast<float*>(x)[fl_thread()] = 0.0f;"), HasSubstr("writes the input x"));
  EXPECT_THAT(finding_of("  y[fl_thread()] += 1.0f;"), HasSubstr("an output that was not written yet"));
  EXPECT_THAT(
      finding_of(
          "  y[fl_thread()] = 1.0f;\n  const float v = fl_load_readonly<float, 1>(y + fl_thread()).v[0];\n  y[fl_thread()] = v;"),
      HasSubstr("through the read-only cache"));
}

constexpr const char* kCopies = R"(  FL_SHARED(float, s, 64);
  if (fl_thread() < 16) fl_copy_async<16>(s + 4 * fl_thread(), x + 4 * fl_thread());
  fl_copy_async_commit();
  fl_copy_async_wait<0>();
  fl_barrier();
  y[fl_thread()] = s[fl_thread()];)";

TEST(SimtExecutor, CopiesAsynchronously) {
  EXPECT_EQ(finding_of(kCopies), "");
}

TEST(SimtExecutor, FindsAnAsynchronousCopyReadTooEarly) {
  EXPECT_THAT(finding_of(replaced(kCopies, "  fl_copy_async_wait<0>();\n", "")), HasSubstr("has not been waited for"));
  EXPECT_THAT(finding_of(replaced(kCopies, "wait<0>", "wait<1>")), HasSubstr("has not been waited for"));
  EXPECT_THAT(finding_of(replaced(kCopies, "  fl_copy_async_commit();\n", "")), HasSubstr("has not been waited for"));
  EXPECT_THAT(finding_of(replaced(kCopies, "  fl_barrier();\n", "")), HasSubstr("s["));
}

TEST(SimtExecutor, StopsAnEndlessLoop) {
  EXPECT_THAT(finding_of("  volatile int go = 1;\n  while (go) {}", {1, 100'000}), HasSubstr("has not ended after 100000 steps"));
  EXPECT_THAT(finding_of("  for (volatile int go = 1; go;) fl_barrier();", {1, 100'000}),
              HasSubstr("has not ended after 100000 steps"));
}

TEST(SimtExecutor, OutlivesCrashesOfAKernel) {
  EXPECT_THAT(finding_of("  volatile int zero = 0;\n  y[0] = static_cast<float>(7 / zero);"),
              HasSubstr("divides an integer by zero in thread"));
  EXPECT_THAT(finding_of("  __builtin_trap();"), HasSubstr("the kernel crashes in thread"));
}

TEST(SimtExecutor, RefusesLaunchesThatNoDeviceTakes) {
  EXPECT_THAT(run("row_sum", kRowSum, {kRows, 160}, kRows * kColumns, kRows).outcome.finding,
              HasSubstr("the kernel takes 1 to 128"));
  EXPECT_THAT(finding_of("  FL_SHARED(double, s, 8192);\n  s[fl_thread()] = 0;"), HasSubstr("the limit is 49152"));
}

TEST(SimtExecutor, GivesALaunchTheSharedMemoryThatItAsksFor) {
  const std::string kernel =
      "extern \"C\" FL_KERNEL(64) void k(const float* x, float* y) {\n  FL_DYNAMIC_SHARED(float, s, 20000, 0);\n"
      "  FL_DYNAMIC_SHARED(float, t, 64, 80000);\n  s[19936 + fl_thread()] = x[fl_thread()];\n  t[fl_thread()] = 1.0f;\n"
      "  fl_barrier();\n  y[fl_thread()] = s[19999 - fl_thread()] + t[63 - fl_thread()];\n}";
  const auto asked = [&](const std::string& text, std::int64_t bytes) {
    return run("k", text, {1, 64, bytes}, 64, 64).outcome.finding;
  };
  EXPECT_EQ(asked(kernel, 80256), "");
  EXPECT_THAT(asked(kernel, 80240), HasSubstr("takes bytes 80000 to 80256 of 80240 that the launch asks for"));
  EXPECT_THAT(asked(replaced(kernel, "t, 64, 80000", "t, 64, 79984"), 80256), HasSubstr("the one before ends at 80000"));
  EXPECT_THAT(asked(replaced(kernel, "s[19936", "s[19937"), 80256), HasSubstr("past the end of shared array s"));
  EXPECT_THAT(asked(replaced(kernel, "  fl_barrier();\n", ""), 80256), HasSubstr("no thread of this block has written"));
}

TEST(SimtExecutor, CompilesManyKernelsWithOneNameIntoOneObject) {
  const auto kernel = [](const char* value) {
    return KernelText{"k", "static float helper() { return " + std::string(value) +
                               "; }\nextern \"C\" FL_KERNEL(32) void k(const float* x, float* y) { y[fl_thread()] = helper(); }"};
  };
  const KernelText texts[] = {kernel("1.0f"), kernel("2.0f")};
  const auto object = KernelObject::compile(texts);
  ASSERT_TRUE(object.ok()) << object.error().message;
  for (std::size_t i = 0; i < 2; ++i) {
    Argument arguments[] = {input(1), output(32)};
    EXPECT_EQ(run_launch(*object.value(), i, {1, 32}, arguments).finding, "");
    EXPECT_EQ(floats_of(arguments[1]), std::vector<float>(32, static_cast<float>(i + 1)));
  }
  EXPECT_EQ(KernelObject::compile(texts).value(), object.value());
}

TEST(SimtExecutor, HandsOnWhatTheCompilerSays) {
  const KernelText text{"k", "extern \"C\" FL_KERNEL(32) void k(float* y) { y[0] = nonsense; }"};
  const auto object = KernelObject::compile({&text, 1});
  ASSERT_FALSE(object.ok());
  EXPECT_EQ(object.error().code, ErrorCode::kCompileFailed);
  EXPECT_THAT(object.error().message, HasSubstr("nonsense"));
}

}  // namespace
}  // namespace fuselab::simt
