// SPDX-License-Identifier: Apache-2.0
// rocBLAS as a backend, on a stand-in that computes what its arguments say.
#include "backends/rocblas/rocblas_backend.h"

#include "tests/unit/amd_libraries/amd_library_fixture.h"

namespace fuselab::amd {
namespace {

using ::testing::HasSubstr;

class Rocblas : public AmdLibrary {
 protected:
  static constexpr const char* kProduct = "graph(x: f32[5,7], y: f32[7,9]) { p = MatMul(x, y); return p }";
  Rocblas() : AmdLibrary("FUSELAB_LIB_ROCBLAS", FAKE_ROCBLAS, "FUSELAB_FAKE_ROCBLAS", make_rocblas_backend) {}
};

TEST_F(Rocblas, IsADeviceOfItsOwnOnTheSameSilicon) {
  const Availability availability = backend_->probe();
  ASSERT_TRUE(availability.usable) << availability.reason;
  EXPECT_EQ(device().id, "rocblas:0");
  EXPECT_THAT(device().name, HasSubstr("AMD Fake MI300X (through rocBLAS 4.2.0, a version that was not tried)"));
  EXPECT_EQ(device().target.id, "rocblas-4.2.0-gfx942");
}

TEST_F(Rocblas, ComputesProductsWithAlphaAndBeta) {
  expect_right(kProduct);
  expect_right("graph(x: f32[7,5], y: f32[9,7]) { p = Gemm(x, y, transA=1, transB=1, alpha=0.5); return p }");
  expect_right("graph(x: f32[5,7], y: f32[7,9], c: f32[5,9]) { p = Gemm(x, y, c, alpha=2.0, beta=0.5); return p }");
  expect_right("graph(x: f16[5,64], y: f16[64,9], r: f16[5,9]) { p = MatMul(x, y); v = Add(r, p); return v }");
  expect_right("graph(x: f32[1,7], y: f32[7,9], b: f32[9]) { p = MatMul(x, y); v = Add(p, b); return v }");
}

TEST_F(Rocblas, ComputesBatchesByTheirStrides) {
  expect_right("graph(x: f32[3,5,7], y: f32[3,7,9], c: f32[3,5,9]) { p = MatMul(x, y); v = Add(p, c); return v }");
  expect_right("graph(x: bf16[5,64], y: bf16[3,64,9]) { p = MatMul(x, y); return p }");
}

TEST_F(Rocblas, SaysInOneLineWhyItDoesNotTakeAPiece) {
  EXPECT_EQ(why_not("graph(x: f32[5,7], y: f32[7,9], b: f32[9]) { p = MatMul(x, y); v = Add(p, b); return v }"),
            "Add: rocBLAS adds matrices of the product's shape, no bias");
  EXPECT_EQ(why_not("graph(x: f32[5,7], y: f32[7,9]) { p = MatMul(x, y); v = Relu(p); return v }"),
            "Relu: rocBLAS computes no activation");
}

TEST_F(Rocblas, OffersTheSolutionsThatItLists) {
  for (const char* const text : {kProduct, "graph(x: f32[3,5,7], y: f32[3,7,9]) { p = MatMul(x, y); return p }"}) {
    const Graph graph = testing::graph_from(text);
    EXPECT_EQ(space(graph).parameters().front().values,
              (std::vector<ParameterValue>{std::int64_t{0}, std::int64_t{-5}, std::int64_t{42}, std::int64_t{4711}}));
    for (const std::int64_t solution : {0, -5, 42}) {
      if (runtime_ == nullptr) open();
      const auto run = conformance::KernelRun::create(*runtime_, compiled_with(graph, solution).value(), graph);
      ASSERT_TRUE(run.ok()) << run.error().message;
      ASSERT_TRUE(run.value()->launch().ok());
      EXPECT_TRUE(run.value()->verify().value().passed) << solution;
      ASSERT_TRUE(run.value()->time(10).ok());
      EXPECT_TRUE(run.value()->verify().value().passed) << "the recording computes it, too";
    }
  }
}

TEST_F(Rocblas, OffersItsOwnChoiceWhereItListsNothing) {
  behave("none");
  EXPECT_EQ(space(testing::graph_from(kProduct)).parameters().front().values, std::vector<ParameterValue>{std::int64_t{0}});
  expect_right(kProduct);
}

TEST_F(Rocblas, FindsASolutionThatComputesSomethingElse) {
  behave("wrong=42");
  const Graph graph = testing::graph_from(kProduct);
  open();
  const auto run = conformance::KernelRun::create(*runtime_, compiled_with(graph, 42).value(), graph);
  ASSERT_TRUE(run.value()->launch().ok());
  EXPECT_FALSE(run.value()->verify().value().passed);
}

TEST_F(Rocblas, RefusesASolutionThatItNoLongerLists) {
  const auto kernel = compiled_with(testing::graph_from(kProduct), 42);
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  open();
  behave("other");
  EXPECT_EQ(runtime_->load(kernel.value()).error().message, "rocBLAS names no solution 42 for this");
}

TEST_F(Rocblas, TellsMemoryThatIsMissingFromACallThatFails) {
  const Graph graph = testing::graph_from(kProduct);
  open();
  const auto run = conformance::KernelRun::create(*runtime_, compiled(graph).value(), graph);
  ASSERT_TRUE(run.ok()) << run.error().message;
  behave("gemm=5");
  const Status full = run.value()->launch();
  EXPECT_EQ(full.error().code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(full.error().message, "rocblas_gemm_ex: rocblas_status_memory_error (5)");
  behave("gemm=6");
  EXPECT_EQ(run.value()->launch().error().code, ErrorCode::kLaunchFailed);
}

TEST_F(Rocblas, SaysInOneLineWhatIsMissing) {
  behave("version=2.46.0.abc");
  EXPECT_THAT(why_unusable(), HasSubstr(": it is rocBLAS 2.46.0, 3 or newer is needed"));
  behave("create=6");
  EXPECT_THAT(why_unusable(), HasSubstr(": rocblas_create_handle: rocblas_status_internal_error (6)"));
  behave("");
  use("FUSELAB_LIB_ROCBLAS", FAKE_ROCBLAS_PARTIAL);
  EXPECT_THAT(why_unusable(), HasSubstr(" has no function rocblas_gemm_strided_batched_ex_get_solutions: it is too old"));
  use("FUSELAB_LIB_ROCBLAS", "/nowhere/librocblas.so");
  EXPECT_EQ(why_unusable(), "FUSELAB_LIB_ROCBLAS: /nowhere/librocblas.so not found");
}

}  // namespace
}  // namespace fuselab::amd
