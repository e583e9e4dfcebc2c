// SPDX-License-Identifier: Apache-2.0
// Compiling for CUDA and TPU targets with a fake plugin: what is told of a program, what is left out, and what is refused.
#include <gtest/gtest.h>

#include "app/engine/kernels/compiled_config.h"
#include "backends/xla/topology/gpu_description.h"
#include "backends/xla/xla_backend.h"
#include "core/graph/graph_text.h"
#include "core/kernel/virtual_target.h"
#include "tests/support/environment_variables.h"

namespace fuselab::xla {
namespace {

class Topologies : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* const name : {"FUSELAB_LIB_XLA", "FUSELAB_LIB_XLA_CUDA", "FUSELAB_LIB_XLA_TPU"})
      variables_.set(name, FAKE_PJRT_GOOD);
  }

  static Target target(const char* id) { return virtual_target(id).value().target; }
  static Graph product_over(int depth) {
    const std::string k = std::to_string(depth);
    return parse_graph("graph(x: f32[4," + k + "], y: f32[" + k + ",2]) { p = MatMul(x, y); return p }").value();
  }
  // As a compile worker does it.
  Result<CompiledKernel> compile(int depth, const char* id) {
    return compile_kernel(*backend_, product_over(depth), {}, target(id), OptimizationLevel::kO2, {});
  }

  test::Variables variables_;
  std::unique_ptr<FusionBackend> backend_ = make_xla_backend();
};

TEST_F(Topologies, TellMemoryAndFusionsOfAGpusProgramAndNoEstimate) {
  const auto kernel = compile(8, "sm_90a");
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  const auto row = engine::compiled_config({}, kernel, target("sm_90a"));
  EXPECT_EQ(row.compiler, "xla-cuda 0.115");
  EXPECT_EQ(row.resources, (ResourceUsage{{"argument_bytes", 4 * (32 + 16)},
                                          {"output_bytes", 32},
                                          {"temporary_bytes", 64},
                                          {"fusions", 2},
                                          {"fusions.loop", 1},
                                          {"fusions.triton_gemm", 1},
                                          {"calls.__cublas$gemm", 1}}))
      << "the outputs' memory is no argument, and the size of code is not told";
  EXPECT_EQ(engine::fusion_words(row.resources), "1 loop, 1 triton_gemm; calls 1 __cublas$gemm");
  EXPECT_FALSE(row.estimate);
  EXPECT_TRUE(row.launches && row.problem.empty()) << row.problem;
  EXPECT_EQ(kernel.value().identity.library, "xla-cuda");
  EXPECT_NE(kernel.value().source.text.find("precision = [HIGHEST, HIGHEST]"), std::string::npos);
}

TEST_F(Topologies, NameTheVendorsEstimateOfATpu) {
  const auto kernel = compile(8, "tpu-v6e");
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  const auto row = engine::compiled_config({}, kernel, target("tpu-v6e"));
  ASSERT_TRUE(row.estimate);
  EXPECT_EQ(row.estimate->source, "libtpu's optimal_seconds");
  EXPECT_NEAR(row.estimate->time.count, 2000, 0.01);
  EXPECT_EQ(row.estimate->operations, 2 * 4 * 8 * 2);
  EXPECT_EQ(row.estimate->bytes, 0) << "it was not told";
  EXPECT_EQ(row.resources.at("code_bytes"), 1000);
  EXPECT_EQ(row.problem, "");
  Target small = target("tpu-v6e");
  small.limits["memory_bytes"] = 1024;
  EXPECT_EQ(engine::compiled_config({}, kernel, small).problem, "needs 1.26 KiB of memory, a device has 1.00 KiB");
}

TEST_F(Topologies, LeaveOutWhatIsNonsense) {
  const auto kernel = compile(23, "tpu-v5e");
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  const auto row = engine::compiled_config({}, kernel, target("tpu-v5e"));
  EXPECT_TRUE(row.resources.empty());
  EXPECT_FALSE(row.estimate);
  EXPECT_EQ(engine::fusion_words(row.resources), "");
}

TEST_F(Topologies, TellXlasWordsOfWhatDoesNotCompile) {
  const auto fails = compile(19, "sm_90");
  ASSERT_FALSE(fails.ok());
  EXPECT_EQ(fails.error().code, ErrorCode::kCompileFailed);
  EXPECT_EQ(fails.error().message, "XLA: INTERNAL: no luck");
  const auto empty = compile(29, "sm_90");
  ASSERT_FALSE(empty.ok());
  EXPECT_NE(empty.error().message.find("does not hand out"), std::string::npos) << empty.error().message;
}

TEST_F(Topologies, RefuseTargetsAndOperatorsThatTheyDoNotKnow) {
  CodeGenerator& generator = *backend_->generator();
  EXPECT_NE(generator.supports(product_over(8), target("sm_121")).why_not.find("only of sm_80, sm_90, sm_90a"), std::string::npos);
  EXPECT_NE(generator.supports(product_over(8), target("gfx942")).why_not.find("another library's"), std::string::npos);
  const Graph power = parse_graph("graph(x: f32[4], y: f32[4]) { p = Pow(x, y); return p }").value();
  EXPECT_FALSE(generator.supports(power, target("sm_90")).yes);
  EXPECT_FALSE(gpu_description(target("tpu-v6e")).ok());
}

TEST_F(Topologies, ReachNoTargetWithoutAPluginAndSayWhatToInstall) {
  variables_.set("FUSELAB_LIB_XLA_TPU", "/nowhere/libtpu.so");
  const auto backend = make_xla_backend();
  const Availability tpu = backend->compiler()->probe_for(target("tpu-v6e"));
  EXPECT_FALSE(tpu.usable);
  EXPECT_NE(tpu.reason.find("/nowhere/libtpu.so not found"), std::string::npos) << tpu.reason;
  EXPECT_TRUE(backend->compiler()->probe_for(target("sm_90")).usable);
  const auto reached = backend->capabilities({}).foreign_targets;
  EXPECT_EQ(reached.count("tpu-v6e"), 0U);
  EXPECT_EQ(reached.at("sm_90a"), "compiled by xla-cuda 0.115, which only compiles");
}

TEST_F(Topologies, NeedNoPluginForTheProcessor) {
  variables_.set("FUSELAB_LIB_XLA", "/nowhere/plugin.so");
  const auto backend = make_xla_backend();
  EXPECT_FALSE(backend->probe().usable);
  EXPECT_TRUE(backend->compiler()->probe().usable);
  EXPECT_EQ(backend->compiler()->fingerprint().id, "xla-cuda");
  EXPECT_TRUE(compile_kernel(*backend, product_over(8), {}, target("tpu-v5e"), OptimizationLevel::kO2, {}).ok());
}

}  // namespace
}  // namespace fuselab::xla
