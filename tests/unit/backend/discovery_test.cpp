// SPDX-License-Identifier: Apache-2.0
#include "core/backend/discovery.h"

#include <gmock/gmock.h>

#include "tests/unit/backend/fake_backend.h"

namespace fuselab {
namespace {

using testing::HasSubstr;

BackendReport usable(std::string id, std::string display_name, std::string device_name) {
  BackendReport report;
  report.id = id;
  report.display_name = std::move(display_name);
  report.availability = Availability::available();
  report.devices = {test::fake_device(id, std::move(device_name))};
  return report;
}

BackendReport unusable(std::string id, std::string display_name, std::string reason) {
  BackendReport report;
  report.id = std::move(id);
  report.display_name = std::move(display_name);
  report.availability = Availability::unavailable(std::move(reason));
  return report;
}

std::vector<BackendReport> cpu_and_opencl() {
  auto opencl = usable("opencl", "OpenCL", "Radeon");
  opencl.devices[0].total_memory_bytes = 8'000'000'000;
  opencl.devices[0].free_memory_bytes = 6'500'000'000;
  auto cpu = usable("cpu", "CPU (generated C)", "EPYC");
  cpu.devices[0].total_memory_bytes = 16'000'000'000;
  cpu.devices[0].unified_memory = true;
  return {cpu, unusable("cuda", "NVIDIA CUDA", "libcuda.so.1 not found"), opencl};
}

TEST(Discovery, RecommendsTheProcessorsOwnBackendBeforeADetourToIt) {
  auto reports = cpu_and_opencl();
  reports[2].devices[0].type = "cpu";
  EXPECT_EQ(best_available_backend(reports), "cpu");
  reports[2].devices.push_back(test::fake_device("opencl", "Radeon"));
  EXPECT_EQ(best_available_backend(reports), "opencl") << "it has a device of its own as well";
  reports[2].devices.pop_back();
  reports[0] = unusable("cpu", "CPU (generated C)", "no compiler");
  EXPECT_EQ(best_available_backend(reports), "opencl") << "a detour is better than nothing";
}

TEST(Discovery, WritesTheSummary) {
  EXPECT_EQ(summary_text(cpu_and_opencl()),
            "=== Available Backends ===\n"
            "✓ CPU (generated C)\n"
            "    [0] EPYC: 16.0 GB (unified memory)\n"
            "✗ NVIDIA CUDA: libcuda.so.1 not found\n"
            "✓ OpenCL\n"
            "    [0] Radeon: 8.0 GB (6.5 GB free)\n"
            "Recommended backend: OpenCL\n");
}

TEST(Discovery, NeverRecommendsSyntheticDevices) {
  auto null = usable("null", "Null (synthetic)", "synthetic device");
  null.devices[0].synthetic = true;
  const std::vector<BackendReport> reports = {null};
  EXPECT_EQ(best_available_backend(reports), std::nullopt);
  EXPECT_THAT(summary_text(reports), HasSubstr("Recommended backend: none"));
  EXPECT_THAT(summary_text(reports), HasSubstr("[0] synthetic device (synthetic)"));
}

TEST(Discovery, SaysHowFarAKernelGetsForATargetWithoutADevice) {
  auto reports = cpu_and_opencl();
  for (BackendReport& report : reports) {
    if (report.id == "cpu") report.capabilities.foreign_targets = {{"armv8-a+simd", "generated; no such device here"}};
  }
  EXPECT_THAT(summary_text(reports), HasSubstr("    armv8-a+simd: generated; no such device here\n"));
}

TEST(Discovery, ReportsWhatABackendAnswers) {
  test::FakeBackend backend("cuda");
  backend.availability = Availability::unavailable("libcuda.so.1 not found");
  EXPECT_EQ(report_on(backend).availability.reason, "libcuda.so.1 not found");
  EXPECT_EQ(report_on(backend).kind, "compute");
  backend.availability = Availability::available();
  backend.devices = {test::fake_device("cuda", "H200")};
  EXPECT_EQ(report_on(backend).devices[0].name, "H200");
}

TEST(Discovery, AsksEveryRegisteredBackend) {
  BackendRegistry registry;
  for (const char* const id : {"cpu", "cuda"}) {
    auto backend = std::make_unique<test::FakeBackend>(id);
    backend->devices = {test::fake_device(id, "of a fake")};
    if (std::string_view(id) == "cuda") backend->availability = Availability::unavailable("libcuda.so.1 not found");
    registry.register_backend(std::move(backend));
  }
  const auto reports = discover(registry);
  ASSERT_EQ(reports.size(), 2);
  EXPECT_EQ(available_backends(reports), (std::vector<std::string>{"cpu"}));
  EXPECT_TRUE(reports[1].devices.empty()) << "what is not usable is not asked for devices";
}

TEST(Discovery, ListsExactlyWhatIsUsableAndHasADevice) {
  auto reports = cpu_and_opencl();
  reports.push_back(usable("rocm", "AMD ROCm (HIP)", "none"));
  reports.back().devices.clear();
  EXPECT_EQ(available_backends(reports), (std::vector<std::string>{"cpu", "opencl"}));
  EXPECT_TRUE(is_backend_available(reports, "CPU"));
  EXPECT_FALSE(is_backend_available(reports, "cuda"));
  EXPECT_FALSE(is_backend_available(reports, "rocm"));
}

TEST(BackendChoice, AutoTakesTheFirstUsableOfTheOrder) {
  EXPECT_EQ(choose_backend(BackendPreference::kAuto, cpu_and_opencl()).value().id, "opencl");
}

TEST(BackendChoice, CpuIsForcedAndNeverFallsBack) {
  EXPECT_EQ(choose_backend(BackendPreference::kCpu, cpu_and_opencl()).value().id, "cpu");
  const std::vector<BackendReport> reports = {usable("cuda", "CUDA", "H200"), unusable("cpu", "CPU", "no compiler found")};
  const auto choice = choose_backend(BackendPreference::kCpu, reports);
  ASSERT_FALSE(choice.ok());
  EXPECT_EQ(choice.error().message, "Backend 'cpu' not available (no compiler found). Available: [cuda]");
}

TEST(BackendChoice, APreferenceFallsBackAndSaysSo) {
  const auto choice = choose_backend(BackendPreference::kCuda, cpu_and_opencl());
  ASSERT_TRUE(choice.ok());
  EXPECT_EQ(choice.value().id, "opencl");
  EXPECT_TRUE(choice.value().fell_back);
  EXPECT_EQ(choice.value().reason, "cuda is not available (libcuda.so.1 not found); opencl is the next in the automatic order");
}

TEST(BackendChoice, RequestedWinsOverFallbacks) {
  const std::vector<std::string> fallbacks = {"opencl"};
  const auto choice = choose_backend("cpu", fallbacks, cpu_and_opencl());
  ASSERT_TRUE(choice.ok());
  EXPECT_EQ(choice.value().id, "cpu");
  EXPECT_FALSE(choice.value().fell_back);
}

TEST(BackendChoice, TakesTheFirstAvailableFallback) {
  const std::vector<std::string> fallbacks = {"rocm", "cpu", "opencl"};
  const auto choice = choose_backend("cuda", fallbacks, cpu_and_opencl());
  ASSERT_TRUE(choice.ok());
  EXPECT_EQ(choice.value().id, "cpu");
  EXPECT_TRUE(choice.value().fell_back);
}

TEST(BackendChoice, NamesAllThatWereTried) {
  const std::vector<std::string> fallbacks = {"mps", "rocm"};
  EXPECT_EQ(choose_backend("cuda", fallbacks, cpu_and_opencl()).error().message,
            "No available backend from [cuda: libcuda.so.1 not found; mps: not registered; rocm: not registered]");
  EXPECT_EQ(choose_backend("cuda", {}, cpu_and_opencl()).error().message,
            "Backend 'cuda' not available. Available: [cpu, opencl]; cuda: libcuda.so.1 not found");
}

TEST(BackendChoice, ACrashedProbeIsNotThatTheBackendIsMissing) {
  auto reports = cpu_and_opencl();
  reports[0].availability = Availability::unavailable("probing it failed: worker (probe) was killed by signal 9");
  reports[0].probe_died = true;
  const auto choice = choose_backend(reports[0].id, {}, reports);
  ASSERT_FALSE(choice.ok());
  EXPECT_EQ(choice.error().code, ErrorCode::kCrashed);
  EXPECT_THAT(choice.error().message, HasSubstr("killed by signal 9"));
}

TEST(BackendChoice, ChecksTheMemoryOfTheChosenDevice) {
  const auto reports = cpu_and_opencl();
  EXPECT_TRUE(choose_backend_with_memory(BackendPreference::kAuto, Bytes{6'000'000'000}, reports).ok());
  const auto tight = choose_backend_with_memory(BackendPreference::kAuto, Bytes{7'000'000'000}, reports);
  ASSERT_FALSE(tight.ok());
  EXPECT_EQ(tight.error().code, ErrorCode::kOutOfMemory);
  EXPECT_THAT(tight.error().message, HasSubstr("opencl:0"));
}

}  // namespace
}  // namespace fuselab
