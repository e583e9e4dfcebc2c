// SPDX-License-Identifier: Apache-2.0
// hipBLASLt as a backend, on a stand-in that computes what its descriptors say.
#include "backends/hipblaslt/hipblaslt_backend.h"

#include <algorithm>

#include "tests/unit/amd_libraries/amd_library_fixture.h"

namespace fuselab::amd {
namespace {

using ::testing::HasSubstr;

constexpr const char* kProduct = "graph(x: f32[5,7], y: f32[7,9]) { p = MatMul(x, y); return p }";

class HipblasLt : public AmdLibrary {
 protected:
  HipblasLt() : AmdLibrary("FUSELAB_LIB_HIPBLASLT", FAKE_HIPBLASLT, "FUSELAB_FAKE_HIPBLASLT", make_hipblaslt_backend) {}
};

TEST_F(HipblasLt, IsADeviceOfItsOwnOnTheSameSilicon) {
  const Availability availability = backend_->probe();
  ASSERT_TRUE(availability.usable) << availability.reason;
  const DeviceInfo info = device();
  EXPECT_EQ(info.id, "hipblaslt:0");
  EXPECT_EQ(info.backend, "hipblaslt");
  EXPECT_THAT(info.name, HasSubstr("AMD Fake MI300X (through hipBLASLt 1.0.0, a version that was not tried)"));
  EXPECT_EQ(info.target.id, "hipblaslt-1.0.0-gfx942");
  EXPECT_EQ(info.properties.at("settings"), "workspace=32MiB");
  EXPECT_EQ(backend_->open(DeviceInfo()).error().code, ErrorCode::kNotFound);
}

// A solution's number is another kernel there.
TEST_F(HipblasLt, GivesNoPlanToAnotherArchitecture) {
  use("FUSELAB_FAKE_HIP", "devices=3,arch1=gfx90a");
  const auto devices = backend_->enumerate();
  ASSERT_TRUE(devices.ok()) << devices.error().message;
  ASSERT_EQ(devices.value().size(), 3U);
  const Graph graph = testing::graph_from(kProduct);
  EXPECT_TRUE(backend_->generator()->supports(graph, devices.value()[2].target).yes);
  EXPECT_EQ(backend_->generator()->supports(graph, devices.value()[1].target).why_not,
            "target hipblaslt-1.0.0-gfx942-not-gfx90a is another library's, here is hipblaslt-1.0.0-gfx942");
}

TEST_F(HipblasLt, ComputesRowMajorProductsByColumnMajorCalls) {
  expect_right(kProduct);
  expect_right("graph(x: f32[5,7], y: f32[9,7]) { p = Gemm(x, y, transB=1); return p }");
  expect_right("graph(x: f32[7,5], y: f32[7,9]) { p = Gemm(x, y, transA=1); return p }");
  expect_right("graph(x: f32[7,5], y: f32[9,7]) { p = Gemm(x, y, transA=1, transB=1, alpha=0.5); return p }");
  expect_right("graph(x: f32[7], y: f32[7,9]) { p = MatMul(x, y); return p }");
  expect_right("graph(x: f32[5,7], y: f32[7]) { p = MatMul(x, y); return p }");
}

TEST_F(HipblasLt, ComputesBatchesByTheirStrides) {
  expect_right("graph(x: f32[3,5,7], y: f32[3,7,9]) { p = MatMul(x, y); return p }");
  expect_right("graph(x: f32[3,5,7], y: f32[7,9]) { p = MatMul(x, y); return p }");
  expect_right("graph(x: f32[5,7], y: f32[3,7,9]) { p = MatMul(x, y); return p }");
  expect_right("graph(x: f32[2,3,5,7], y: f32[2,3,7,9], r: f32[2,3,5,9]) { p = MatMul(x, y); v = Add(p, r); return v }");
}

TEST_F(HipblasLt, ComputesWhatStandsBehindAProduct) {
  expect_right("graph(x: f32[5,7], y: f32[7,9], b: f32[9]) { p = MatMul(x, y); v = Add(p, b); return v }");
  expect_right("graph(x: f32[5,7], y: f32[7,9], b: f32[9]) { p = MatMul(x, y); v = Add(b, p); w = Relu(v); return w }");
  expect_right("graph(x: f32[5,7], y: f32[7,9], b: f32[1,9]) { p = Gemm(x, y, b); w = Gelu(p, approximate=\"tanh\"); return w }");
  expect_right("graph(x: f32[5,7], y: f32[7,9], c: f32[5,9]) { p = Gemm(x, y, c, alpha=2.0, beta=0.5); return p }");
  expect_right(
      "graph(x: f32[5,7], y: f32[7,9], b: f32[9], r: f32[5,9]) { p = MatMul(x, y); v = Add(p, b); w = Add(r, v); z = Relu(w); "
      "return z }");
  expect_right("graph(x: f32[5,7], y: f32[7,9]) { p = MatMul(x, y); w = Relu(p); return w }");
}

TEST_F(HipblasLt, ComputesNarrowTypesWithSumsOfF32) {
  expect_right("graph(x: f16[5,64], y: f16[64,9], b: f16[9]) { p = MatMul(x, y); v = Add(p, b); return v }");
  expect_right("graph(x: bf16[3,5,64], y: bf16[3,64,9]) { p = MatMul(x, y); return p }");
}

TEST_F(HipblasLt, SaysInOneLineWhyItDoesNotTakeAPiece) {
  const auto expect_reason = [&](const char* text, const char* reason) { EXPECT_EQ(why_not(text), reason) << text; };
  expect_reason("graph(x: f32[5,7]) { v = Relu(x); return v }",
                "hipBLASLt computes products of matrices, and what it fuses behind them");
  expect_reason("graph(x: f64[5,7], y: f64[7,9]) { p = MatMul(x, y); return p }",
                "hipBLASLt is asked for f32, f16 and bf16, not f64");
  expect_reason("graph(x: f32[5,7], y: f32[7,9]) { p = MatMul(x, y); v = Gelu(p); return v }",
                "Gelu: hipBLASLt approximates Gelu by tanh alone");
  expect_reason("graph(x: f32[5,7], y: f32[7,9]) { p = MatMul(x, y); v = Tanh(p); return v }",
                "Tanh: hipBLASLt has no such epilogue");
  expect_reason("graph(x: f32[5,7], y: f32[7,9], b: f32[9]) { p = MatMul(x, y); v = Relu(p); w = Add(v, b); return w }",
                "Add: it stands behind an activation");
  expect_reason("graph(x: f32[5,7], y: f32[7,9], b: f32[5,1]) { p = MatMul(x, y); w = Add(p, b); return w }",
                "Add: what is added is neither of the product's shape nor one number a column");
  expect_reason("graph(x: f32[5,7], y: f32[7,9], b: f32[9]) { p = Gemm(x, y, b, beta=2.0); return p }", "a bias with a factor");
  expect_reason("graph(x: f32[2,1,5,7], y: f32[1,3,7,9]) { p = MatMul(x, y); return p }",
                "the batch broadcasts one operand in a way that has no single stride");
  expect_reason("graph(x: f32[5,7], y: f32[7,9]) { p = MatMul(x, y); v = Relu(p); return p, v }",
                "a result within the call is asked for");
}

TEST_F(HipblasLt, OffersTheSolutionsOfItsHeuristic) {
  const Graph graph = testing::graph_from(kProduct);
  const ParameterSpace offered = space(graph);
  const auto& parameters = offered.parameters();
  ASSERT_EQ(parameters.size(), 1U);
  EXPECT_EQ(parameters.front().name, "solution");
  EXPECT_EQ(parameters.front().values, (std::vector<ParameterValue>{std::int64_t{4711}, std::int64_t{42}, std::int64_t{5}}));
  open();
  for (const std::int64_t solution : {4711, 42, 5}) {
    const auto kernel = compiled_with(graph, solution);
    ASSERT_TRUE(kernel.ok()) << kernel.error().message;
    const auto run = conformance::KernelRun::create(*runtime_, kernel.value(), graph);
    ASSERT_TRUE(run.ok()) << run.error().message;
    ASSERT_TRUE(run.value()->launch().ok());
    EXPECT_TRUE(run.value()->verify().value().passed) << solution;
    const auto timing = run.value()->time(10);
    ASSERT_TRUE(timing.ok()) << timing.error().message;
    EXPECT_EQ(timing.value().source, TimingSource::kDeviceEvents);
    EXPECT_TRUE(run.value()->verify().value().passed) << "the recording computes it, too";
  }
}

TEST_F(HipblasLt, FindsASolutionThatComputesSomethingElse) {
  behave("wrong=42");
  const Graph graph = testing::graph_from(kProduct);
  open();
  const auto run = conformance::KernelRun::create(*runtime_, compiled_with(graph, 42).value(), graph);
  ASSERT_TRUE(run.value()->launch().ok());
  EXPECT_FALSE(run.value()->verify().value().passed);
}

TEST_F(HipblasLt, RefusesASolutionThatItNoLongerNames) {
  const Graph graph = testing::graph_from(kProduct);
  const auto kernel = compiled_with(graph, 42);
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  open();
  behave("other");
  const auto loaded = runtime_->load(kernel.value());
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(loaded.error().message, "hipBLASLt names no solution 42 for this");
}

TEST_F(HipblasLt, SaysThatItHasNoSolution) {
  for (const char* const behaviour : {"none", "none=7", "hungry"}) {
    start_again();
    behave(behaviour);
    EXPECT_EQ(why_not(kProduct), "hipBLASLt has no solution for this on gfx942") << behaviour;
  }
  start_again();
  behave("none=6");
  EXPECT_EQ(why_not(kProduct), "hipblasLtMatmulAlgoGetHeuristic: HIPBLAS_STATUS_INTERNAL_ERROR (6)");
}

TEST_F(HipblasLt, TellsMemoryThatIsMissingFromACallThatFails) {
  const Graph graph = testing::graph_from(kProduct);
  const auto hungry = compiled_with(graph, 42), plain = compiled(graph);
  open();
  use("FUSELAB_FAKE_HIP", "memory=500000");
  const auto loaded = runtime_->load(hungry.value());
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code, ErrorCode::kOutOfMemory);
  EXPECT_THAT(loaded.error().message, HasSubstr("the library's workspace: "));
  const auto run = conformance::KernelRun::create(*runtime_, plain.value(), graph);
  ASSERT_TRUE(run.ok()) << run.error().message;
  behave("matmul=5");
  const Status failed = run.value()->launch();
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, ErrorCode::kLaunchFailed);
  EXPECT_EQ(failed.error().message, "hipblasLtMatmul: HIPBLAS_STATUS_EXECUTION_FAILED (5)");
}

TEST_F(HipblasLt, SaysInOneLineWhatIsMissing) {
  behave("version=900");
  EXPECT_THAT(why_unusable(), HasSubstr(": it is hipBLASLt 0.9.0, 0.10.0 or newer is needed"));
  behave("create=8");
  EXPECT_THAT(why_unusable(), HasSubstr(": hipblasLtCreate: HIPBLAS_STATUS_ARCH_MISMATCH (8)"));
  behave("");
  use("FUSELAB_LIB_HIPBLASLT", FAKE_HIPBLASLT_PARTIAL);
  EXPECT_THAT(why_unusable(), HasSubstr(" has no function hipblasLtMatmul: it is too old or not the library"));
  use("FUSELAB_LIB_HIPBLASLT", "/nowhere/libhipblaslt.so");
  EXPECT_EQ(why_unusable(), "FUSELAB_LIB_HIPBLASLT: /nowhere/libhipblaslt.so not found");
  use("FUSELAB_FAKE_HIP", "devices=0");
  EXPECT_EQ(why_unusable(), "no AMD GPU") << "the driver is asked first";
}

}  // namespace
}  // namespace fuselab::amd
