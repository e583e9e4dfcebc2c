// SPDX-License-Identifier: Apache-2.0
// A real worker on libraries that look like vendors' and misbehave in the middle of a block: what the session makes of it.
#include <gmock/gmock.h>

#include <cstdlib>
#include <optional>

#include "tests/faults/workers/worker_fixture.h"

namespace fuselab::engine {
namespace {

using testing::HasSubstr;

// The parameter that faults hang on instead of the depth of a product, with the values that crash and hang.
struct FaultyParameter {
  const char* name;
  std::pair<const char*, const char*> values;
};

// One library: its backend, the variable that names its file, a fake that computes, and such as are refused with their reason.
struct Vendor {
  const char* backend;
  const char* variable;
  const char* good;
  std::vector<std::pair<const char*, const char*>> refused;
  std::optional<FaultyParameter> faulty = std::nullopt;
};
void PrintTo(const Vendor& vendor, std::ostream* out) {  // NOLINT(readability-identifier-naming): GoogleTest's name
  *out << vendor.backend;
}

std::vector<Vendor> vendors() {
  return {
#ifdef FAKE_MKL_GOOD
      {"mkl",
       "FUSELAB_LIB_MKL",
       FAKE_MKL_GOOD,
       {{FAKE_MKL_OLD, "2021 or newer is needed"}, {FAKE_MKL_PARTIAL, "has no function cblas_sgemm_compute"}}},
#endif
#ifdef FAKE_HIPBLASLT
      {"hipblaslt", "FUSELAB_LIB_HIPBLASLT", FAKE_HIPBLASLT, {{FAKE_HIPBLASLT_PARTIAL, "has no function hipblasLtMatmul"}}},
#endif
#ifdef FAKE_ROCBLAS
      {"rocblas",
       "FUSELAB_LIB_ROCBLAS",
       FAKE_ROCBLAS,
       {{FAKE_ROCBLAS_PARTIAL, "has no function rocblas_gemm_strided_batched_ex_get_solutions"}}},
#endif
#ifdef FAKE_ONNXRUNTIME_GOOD
      {"onnxruntime",
       "FUSELAB_LIB_ONNXRUNTIME",
       FAKE_ONNXRUNTIME_GOOD,
       {{FAKE_ONNXRUNTIME_OLD, "1.17 or newer is needed"}, {FAKE_HOLLOW, "has no function OrtGetApiBase"}}},
#endif
#ifdef FAKE_OPENVINO_GOOD
      {"openvino",
       "FUSELAB_LIB_OPENVINO",
       FAKE_OPENVINO_GOOD,
       {{FAKE_OPENVINO_OLD, "2026 or newer is needed"}, {FAKE_OPENVINO_PARTIAL, "has no function ov_infer_request_infer"}}},
#endif
#ifdef FAKE_TORCH_GOOD
      {"torch",
       "FUSELAB_LIB_TORCH",
       FAKE_TORCH_GOOD,
       {{FAKE_TORCH_PARTIAL, "has no function torch_list_push_back"}, {FAKE_HOLLOW, "has no function aoti_torch_abi_version"}}},
#endif
#ifdef FAKE_PJRT_GOOD
      {"xla",
       "FUSELAB_LIB_XLA",
       FAKE_PJRT_GOOD,
       {{FAKE_PJRT_OLD, "0.57 and later ones of version 0 are known"}, {FAKE_HOLLOW, "has no function GetPjrtApi"}}},
#endif
#ifdef FAKE_GOMP_GOOD
      {"openmp",
       "FUSELAB_LIB_OPENMP",
       FAKE_GOMP_GOOD,
       {{FAKE_GOMP_OLD, "has no function GOMP_loop_nonmonotonic_dynamic_start"}, {FAKE_HOLLOW, "has no function GOMP_parallel"}},
       {{"schedule", {"dynamic", "guided"}}}},
#endif
  };
}

class LibraryWorkers : public testing::TestWithParam<Vendor> {
 protected:
  void SetUp() override {
#ifdef FAKE_HIP
    setenv("FUSELAB_LIB_HIP", FAKE_HIP, 1);  // AMD's libraries compute on its device
#endif
    open_with(GetParam().good);
  }
  void TearDown() override {
    unsetenv("FUSELAB_LIB_HIP");
    unsetenv(GetParam().variable);
  }

  void open_with(const char* file) {
    setenv(GetParam().variable, file, 1);
    WorkerPoolOptions options;
    options.worker_program = worker_program();
    options.cache_directory = folder_.path() / "cache";
    options.lock_directory = folder_.path() / "locks";
    options.compile_workers = 1;
    pool_ = std::make_unique<WorkerPool>(options);
  }

  Result<Plan> product_over(const DeviceInfo& device, int depth) {
    const std::string k = std::to_string(depth);
    const std::string text = "graph(x: f32[4," + k + "], y: f32[" + k + ",4]) { p = MatMul(x, y); return p }";
    FL_TRY(const Graph graph, parse_graph(text));
    const std::string backend = GetParam().backend;
    FL_TRY(const wire::DescribeReply described,
           pool_->describe({backend, device.target, canonical_text(graph), OptimizationLevel::kO2}, {}));
    LaunchConfig config = described.default_config;
    if (const auto& faulty = GetParam().faulty; faulty && (depth == 13 || depth == 17))
      config.set(faulty->name, std::string(depth == 13 ? faulty->values.first : faulty->values.second));
    FL_TRY(CompiledKernel kernel,
           pool_->compile({backend, device.target, canonical_text(graph), config, OptimizationLevel::kO2}, {}));
    return make_plan(text, graph, {{NodeId{0}}}, {std::move(kernel)});
  }

  // A block of one product a depth: 13 crashes these fakes, 17 hangs them.
  Block block_of(const DeviceInfo& device, const std::vector<int>& depths) {
    Block block;
    block.device = device.id;
    block.protocol.launch_timeout = {1e9};
    block.protocol.drop_factor = 0;  // equal plans seem unequal beside other load
    for (const int depth : depths) {
      auto plan = product_over(device, depth);
      EXPECT_TRUE(plan.ok()) << depth << ": " << plan.error().message;
      if (plan.ok()) block.plans.push_back(std::move(plan).value());
    }
    return block;
  }

  ScratchFolder folder_;
  std::unique_ptr<WorkerPool> pool_;
};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LibraryWorkers);
INSTANTIATE_TEST_SUITE_P(Of, LibraryWorkers, testing::ValuesIn(vendors()),
                         [](const auto& given) { return std::string(given.param.backend); });

TEST_P(LibraryWorkers, ACrashAndAHangCostOneTrialEach) {
  const auto report = pool_->probe(GetParam().backend);
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_TRUE(report.value().availability.usable) << report.value().availability.reason;
  const DeviceInfo device = report.value().devices.front();
  const Block block = block_of(device, {8, 13, 8, 17, 8});
  ASSERT_EQ(block.plans.size(), 5U);
  const auto measured = pool_->measure(device, block, {});
  ASSERT_TRUE(measured.ok()) << measured.error().message;
  const auto& plans = measured.value().plans;
  ASSERT_EQ(plans.size(), 5U);
  for (const std::size_t right : {0U, 2U, 4U})
    EXPECT_EQ(plans[right].outcome, Outcome::kTimed) << right << ": " << plans[right].reason;
  EXPECT_EQ(plans[1].outcome, Outcome::kCrashed) << plans[1].reason;
  EXPECT_THAT(plans[1].reason, HasSubstr("SIGSEGV"));
  EXPECT_EQ(plans[3].outcome, Outcome::kTimeout) << plans[3].reason;
}

TEST_P(LibraryWorkers, ALibraryThatIsRefusedIsAReasonAndTheNextIsRight) {
  for (const auto& [file, reason] : GetParam().refused) {
    open_with(file);
    const auto refused = pool_->probe(GetParam().backend);
    ASSERT_TRUE(refused.ok()) << refused.error().message;
    EXPECT_FALSE(refused.value().availability.usable) << file;
    EXPECT_THAT(refused.value().availability.reason, HasSubstr(reason));
  }
  open_with(GetParam().good);
  const auto report = pool_->probe(GetParam().backend);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report.value().availability.usable) << report.value().availability.reason;
}

}  // namespace
}  // namespace fuselab::engine
