// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/driver/cuda_targets.h"
#include "core/backend/discovery.h"
#include "core/graph/graph_text.h"
#include "tests/unit/cuda/fake_libraries.h"

namespace fuselab::cuda {
namespace {

using testing::HasSubstr;

Graph relu() {
  return parse_graph("graph(x: f32[1024]) { y = Relu(x); return y }").value();
}

TEST(CudaBackend, ShowsADeviceAndWhatItCan) {
  FakeLibraries fakes;
  const auto backend = make_cuda_backend();
  const BackendReport report = report_on(*backend);
  ASSERT_TRUE(report.availability.usable) << report.availability.reason;
  ASSERT_EQ(report.devices.size(), 1U);
  EXPECT_FALSE(report.capabilities.operators.empty());
  for (const char* own : {"sm_90a", "sm_90"})
    EXPECT_EQ(report.capabilities.foreign_targets.count(own), 0U) << "a device that runs it is here";
  EXPECT_EQ(report.capabilities.foreign_targets.at("sm_80"), "generated, compiled by nvrtc 12.9; no such device here");
  EXPECT_EQ(report.capabilities.foreign_targets.at("sm_75"),
            "generated, not compiled: nvrtc 12.9 makes no code for sm_75, only for sm_80, sm_90, sm_120");
  EXPECT_THAT(summary_text(std::vector{report}), HasSubstr("✓ cuda\n    [0] Fake H200: 153.5 GB\n"));
}

TEST(CudaBackend, CompilesForOthersWhereItHasNoDevice) {
  FakeLibraries fakes;
  fakes.driver("version=11040");
  const auto backend = make_cuda_backend();
  const BackendReport report = report_on(*backend);
  EXPECT_FALSE(report.availability.usable);
  EXPECT_EQ(report.availability.reason, "the NVIDIA driver is too old: it supports CUDA 11.4, 12.0 is needed");
  EXPECT_TRUE(report.devices.empty());
  EXPECT_TRUE(report.capabilities.operators.empty()) << "nothing was proved on a device";
  EXPECT_EQ(report.capabilities.dtypes,
            (std::vector{DType::kF64, DType::kF32, DType::kF16, DType::kBF16, DType::kI64, DType::kI32, DType::kBool}));
  EXPECT_TRUE(report.capabilities.supports_autotuning) << "for a target";
  EXPECT_EQ(report.compiler.name, "nvrtc 12.9");
  EXPECT_EQ(report.compiler.file, FAKE_NVRTC);
  for (const char* each : {"sm_90", "sm_90a"})
    EXPECT_EQ(report.capabilities.foreign_targets.at(each), "generated, compiled by nvrtc 12.9; no such device here");
  EXPECT_THAT(summary_text(std::vector{report}),
              HasSubstr("✗ cuda: the NVIDIA driver is too old: it supports CUDA 11.4, 12.0 is needed\n"
                        "    without a device: kernels of f64, f32, f16, bf16, i64, i32, bool; `fuselab tune --compile-only "
                        "--target` ranks their "
                        "configurations\n"
                        "    sm_75: generated, not compiled"));
  for (const Target& target : cuda_targets()) {
    const LaunchConfig config = backend->generator()->default_config(relu(), target);
    const auto kernel = compile_kernel(*backend, relu(), config, target, OptimizationLevel::kO2, {});
    if (target.id != "sm_80" && target.id != "sm_90" && target.id != "sm_120") continue;
    ASSERT_TRUE(kernel.ok()) << target.id << ": " << kernel.error().message;
    EXPECT_EQ(kernel.value().resources.at("registers"), 32);
    EXPECT_EQ(kernel.value().identity.compiler_version, "12.9");
  }
}

TEST(CudaBackend, SaysWhichDevicesItLeavesOut) {
  FakeLibraries fakes;
  fakes.driver("devices=2,unwell=0");
  const auto backend = make_cuda_backend();
  const BackendReport report = report_on(*backend);
  EXPECT_THAT(summary_text(std::vector{report}),
              HasSubstr("✓ cuda: cuda:0 is left out: it does not answer (cuDeviceGet): CUDA_ERROR_DEVICE_UNAVAILABLE (46)\n"
                        "    [1] Fake H200"));
  DeviceInfo unwell = report.devices.front();
  unwell.id = "cuda:0";
  EXPECT_EQ(backend->open(unwell).error().message,
            "cuda:0 cannot be opened: it does not answer (cuDeviceGet): CUDA_ERROR_DEVICE_UNAVAILABLE (46)");
  fakes.driver("devices=1,unwell=0");
  EXPECT_EQ(make_cuda_backend()->probe().reason,
            "cuda:0 is left out: it does not answer (cuDeviceGet): CUDA_ERROR_DEVICE_UNAVAILABLE (46)");
}

TEST(CudaBackend, SaysThatItTimesWithoutTheGateWhereLaunchesWait) {
  FakeLibraries fakes;
  fakes.use("CUDA_LAUNCH_BLOCKING", "1");
  EXPECT_THAT(make_cuda_backend()->probe().reason, HasSubstr("CUDA_LAUNCH_BLOCKING is set, which may make launches wait"));
  fakes.use("CUDA_LAUNCH_BLOCKING", "0");
  EXPECT_EQ(make_cuda_backend()->probe().reason, "");
  fakes.use("CUDA_INJECTION64_PATH", "/opt/tool.so");
  EXPECT_THAT(make_cuda_backend()->probe().reason, HasSubstr("CUDA_INJECTION64_PATH is set"));
}

TEST(CudaBackend, NeedsDriverDeviceAndCompilerToRun) {
  FakeLibraries fakes;
  fakes.driver("devices=0");
  EXPECT_EQ(make_cuda_backend()->probe().reason, "no CUDA device");
  fakes.driver("");
  fakes.use("FUSELAB_LIB_NVRTC", "/nonexistent");
  EXPECT_THAT(make_cuda_backend()->probe().reason, HasSubstr("no CUDA compiler"));
}

TEST(CudaBackend, OpensItsDevicesAndNoOther) {
  FakeLibraries fakes;
  const auto backend = make_cuda_backend();
  const auto devices = backend->enumerate();
  ASSERT_TRUE(devices.ok());
  const auto opened = backend->open(devices.value().front());
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  EXPECT_TRUE(opened.value()->info().free_memory_bytes);
  DeviceInfo other = devices.value().front();
  other.id = "cuda:7";
  EXPECT_EQ(backend->open(other).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace fuselab::cuda
