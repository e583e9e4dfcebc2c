// SPDX-License-Identifier: Apache-2.0
// Places of the program counter are sampled through a stand-in library; lines of the real one are held against nvdisasm's.
#include <gmock/gmock.h>

#include "app/engine/profile/disassembler.h"
#include "backends/cuda/compiler/nvrtc_compiler.h"
#include "backends/cuda/cupti/cupti_samples.h"
#include "core/kernel/virtual_target.h"
#include "tests/unit/cupti/recorded_plan.h"

namespace fuselab::cuda {
namespace {

using testing::HasSubstr;

class CuptiSamplesOfPlan : public RecordedPlan {
 protected:
  Result<DeviceSamples> sampled(const char* trouble) {
    const auto tracer = open();
    tell(trouble);
    return tracer->sample_code(plan(), code_);
  }

  std::vector<std::byte> other_ = std::vector<std::byte>(32), cubin_ = std::vector<std::byte>(64);
  std::vector<SampledCode> code_ = {{other_, "other"}, {cubin_, "saxpy"}};
};

TEST_F(CuptiSamplesOfPlan, AreJoinedToTheirStepByTheCubin) {
  const auto made = sampled("");
  ASSERT_TRUE(made.ok()) << made.error().message;
  const DeviceSamples& samples = made.value();
  EXPECT_EQ(said(), "enable configure start stop disable");
  EXPECT_EQ(number("fake_cupti_series"), 0);
  EXPECT_EQ(samples.runs, 3);
  EXPECT_EQ(kernel_.launches, 6);
  EXPECT_EQ(synchronized_, 6) << "each kernel by itself";
  EXPECT_EQ(samples.period_cycles, 512);
  ASSERT_EQ(samples.places.size(), 2u);
  const SampledPlace& hot = samples.places.front();
  EXPECT_EQ(hot.step, 1);
  EXPECT_EQ(hot.function, "saxpy");
  EXPECT_EQ(hot.address, 0x10);
  EXPECT_EQ(hot.line, 3);
  ASSERT_EQ(hot.stalls.size(), 2u) << "warps that did not issue are not counted once more";
  EXPECT_EQ(hot.stalls[0].stall, "long_scoreboard");
  EXPECT_EQ(hot.stalls[0].samples, 6 * 60);
  EXPECT_EQ(samples.samples, 6 * (60 + 20 + 5 + 20));
}

TEST_F(CuptiSamplesOfPlan, CodeOfNoStepIsSaidToBeSo) {
  cubin_.resize(65);
  code_[1].binary = cubin_;
  const auto made = sampled("");
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made.value().places.front().step, -1);
  EXPECT_EQ(made.value().places.front().line, 0);
}

TEST_F(CuptiSamplesOfPlan, TroublesAreReasons) {
  EXPECT_THAT(sampled("denied").error().message, HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
  const auto lost = sampled("lost");
  ASSERT_TRUE(lost.ok());
  EXPECT_EQ(lost.value().dropped, 12 * 3);
  EXPECT_FALSE(lost.value().overflowed);
  const auto full = sampled("full");
  ASSERT_TRUE(full.ok());
  EXPECT_TRUE(full.value().overflowed);
  EXPECT_EQ(full.value().dropped, 0);
  const auto none = sampled("short");
  ASSERT_TRUE(none.ok());
  EXPECT_THAT(none.value().why_not, HasSubstr("sampled nothing of the plan"));
  kernel_.fails = true;
  EXPECT_THAT(sampled("").error().message, HasSubstr("the launch failed"));
  EXPECT_EQ(number("fake_cupti_series"), 0);
}

TEST(CuptiSource, LinesOfTheRealLibraryAreThoseOfTheDisassembler) {
  const auto library = CuptiLibrary::open(loading::real_surroundings("CUPTI"));
  if (!library.ok()) GTEST_SKIP() << library.error().message;
  const auto disassembler = engine::Disassembler::find("cubin", "sm_90");
  if (!disassembler.ok()) GTEST_SKIP() << disassembler.error().message;
  NvrtcCompiler compiler;
  const auto target = virtual_target("sm_90");
  ASSERT_TRUE(target.ok());
  SourceModule source;
  source.language = "cuda";
  source.entry = "saxpy";
  source.text =
      "extern \"C\" __global__ void saxpy(float a, const float* x, float* y, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i >= n) return;\n"
      "  float sum = 0;\n"
      "  for (int k = 0; k < n; ++k)\n"
      "    sum += a * x[k];\n"
      "  y[i] = sum;\n"
      "}\n";
  const std::string flags = compiler.flags(target.value().target, OptimizationLevel::kO2) + disassembler.value().line_flags();
  const auto cubin = compiler.recompile(source, target.value().target, flags, {});
  if (!cubin.ok()) GTEST_SKIP() << cubin.error().message;
  const auto functions = disassembler.value().read(cubin.value().data, {});
  ASSERT_TRUE(functions.ok()) << functions.error().message;
  ASSERT_EQ(functions.value().size(), 1u);
  EXPECT_NE(checksum_of(library.value(), cubin.value().data).value(), 0u);
  int with_lines = 0;
  for (const profile::Instruction& each : functions.value().front().code) {
    const auto line = line_of(library.value(), cubin.value().data, "saxpy", each.address);
    ASSERT_TRUE(line.ok()) << line.error().message;
    EXPECT_EQ(line.value(), each.line) << std::hex << each.address << " " << each.text;
    if (each.line > 0) ++with_lines;
  }
  EXPECT_GT(with_lines, 20);
}

}  // namespace
}  // namespace fuselab::cuda
