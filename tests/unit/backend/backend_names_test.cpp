// SPDX-License-Identifier: Apache-2.0
#include "core/backend/backend_names.h"

#include <gmock/gmock.h>

#include <set>

#include "backends/systems.h"

namespace fuselab {
namespace {

TEST(BackendNames, AreUniqueLowerCaseIds) {
  std::set<std::string_view> seen;
  for (const auto& info : known_backends()) {
    EXPECT_TRUE(seen.insert(info.id).second) << info.id;
    EXPECT_TRUE(std::none_of(info.id.begin(), info.id.end(), [](char c) { return c >= 'A' && c <= 'Z'; })) << info.id;
    EXPECT_FALSE(info.display_name.empty());
  }
}

TEST(BackendNames, CoverEverySystemOfTheDocuments) {
  for (const auto id : {"triton", "xla",    "cpu", "cuda", "rocm",   "metal", "opencl",     "webgpu", "cudnn", "mkl",
                        "onednn", "openmp", "nki", "xeon", "nnpack", "mha",   "cusparselt", "tpu",    "intel", "opt_einsum"}) {
    EXPECT_NE(find_backend_info(id), nullptr) << id;
  }
}

TEST(BackendNames, KeepTheNumberBands) {
  for (const auto& info : known_backends()) {
    const BackendType type = backend_type_of(info.id);
    const int number = static_cast<int>(type);
    if (number == 999) continue;
    EXPECT_EQ(number < 10, info.requires_gpu() && number < 20) << info.id;
    EXPECT_EQ(id_of(type), info.id);
  }
  const std::pair<BackendType, int> numbers[] = {
      {BackendType::kCuda, 0},    {BackendType::kMps, 1},        {BackendType::kCudnn, 2},    {BackendType::kCusparselt, 3},
      {BackendType::kCpu, 10},    {BackendType::kMkl, 11},       {BackendType::kMkldnn, 12},  {BackendType::kOpenmp, 13},
      {BackendType::kXeon, 14},   {BackendType::kNki, 20},       {BackendType::kTriton, 21},  {BackendType::kMha, 22},
      {BackendType::kNnpack, 23}, {BackendType::kOptEinsum, 24}, {BackendType::kUnknown, 999}};
  for (const auto& [type, number] : numbers) EXPECT_EQ(static_cast<int>(type), number);
  EXPECT_EQ(id_of(BackendType::kUnknown), std::nullopt);
  EXPECT_EQ(id_of(BackendType::kMps), "metal");
  EXPECT_EQ(id_of(BackendType::kMkldnn), "onednn");
}

TEST(BackendNames, SayWhatABackendNeeds) {
  const auto* cuda = find_backend_info("CUDA");
  ASSERT_NE(cuda, nullptr);
  EXPECT_EQ(cuda->id, "cuda");
  EXPECT_EQ(cuda->display_name, "NVIDIA CUDA");
  EXPECT_TRUE(cuda->requires_gpu());
  EXPECT_THAT(cuda->required_libraries, testing::ElementsAre("libcuda.so.1"));
  const auto* cpu = find_backend_info("cpu");
  ASSERT_NE(cpu, nullptr);
  EXPECT_FALSE(cpu->requires_gpu());
  EXPECT_TRUE(cpu->required_libraries.empty());
  EXPECT_EQ(find_backend_info("quantum"), nullptr);
  for (const auto id : {"cuda", "metal", "cudnn", "cusparselt", "rocm"}) EXPECT_TRUE(find_backend_info(id)->requires_gpu()) << id;
  for (const auto id : {"mkl", "onednn", "openmp", "xeon", "nnpack"}) EXPECT_FALSE(find_backend_info(id)->requires_gpu()) << id;
}

TEST(BackendNames, MapTheDocumentsEnumsOntoIds) {
  EXPECT_EQ(id_of(FusionBackendType::kTriton), "triton");
  EXPECT_EQ(id_of(FusionBackendType::kXla), "xla");
  EXPECT_EQ(id_of(FusionBackendType::kNone), std::nullopt);
  EXPECT_EQ(fusion_backend_type_of("Triton"), FusionBackendType::kTriton);
  EXPECT_EQ(fusion_backend_type_of("cpu"), FusionBackendType::kCustom);
  EXPECT_EQ(name_of(FusionBackendType::kXla), "XLA");
  EXPECT_EQ(id_of(VendorFamily::kNvidia), "cuda");
  EXPECT_EQ(id_of(VendorFamily::kAmd), "rocm");
  EXPECT_EQ(id_of(VendorFamily::kTpu), "tpu");
  EXPECT_EQ(id_of(VendorFamily::kIntel), "intel");
  EXPECT_EQ(id_of(VendorFamily::kCpu), "cpu");
  EXPECT_EQ(id_of(VendorFamily::kAuto), std::nullopt);
  EXPECT_EQ(id_of(ComputeBackend::kCpuSimd), "cpu");
  EXPECT_EQ(id_of(ComputeBackend::kCuda), "cuda");
  EXPECT_EQ(id_of(ComputeBackend::kMetal), "metal");
  EXPECT_EQ(id_of(BackendPreference::kRocm), "rocm");
  EXPECT_EQ(id_of(BackendPreference::kAuto), std::nullopt);
}

TEST(BackendNames, ParseIdsAndAliasesInAnyCase) {
  EXPECT_EQ(parse_backend_id("CUDA").value(), "cuda");
  EXPECT_EQ(parse_backend_id("MPS").value(), "metal");
  EXPECT_EQ(parse_backend_id("MKLDNN").value(), "onednn");
  EXPECT_EQ(parse_backend_id("Hip").value(), "rocm");
  const auto unknown = parse_backend_id("quantum");
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().message, testing::HasSubstr("unknown backend 'quantum'; known: cpu, cuda"));
}

TEST(BackendNames, ParsePreferences) {
  const std::pair<const char*, BackendPreference> names[] = {
      {"Auto", BackendPreference::kAuto},    {"Cpu", BackendPreference::kCpu},   {"Cuda", BackendPreference::kCuda},
      {"Metal", BackendPreference::kMetal},  {"Rocm", BackendPreference::kRocm}, {"OpenCL", BackendPreference::kOpenCl},
      {"WebGPU", BackendPreference::kWebGpu}};
  for (const auto& [name, preference] : names) {
    EXPECT_EQ(parse_backend_preference(name).value(), preference);
    EXPECT_TRUE(same_name(name_of(preference), name));
  }
  const auto unknown = parse_backend_preference("tpu");
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().message, testing::HasSubstr("auto, cpu, cuda, metal, rocm, opencl, webgpu"));
}

TEST(BackendNames, OrderGpusBeforeTheCpu) {
  const auto order = auto_order();
  const auto at = [&](std::string_view id) { return std::find(order.begin(), order.end(), id) - order.begin(); };
  EXPECT_LT(at("cuda"), at("rocm"));  // R96 and R147 at once
  EXPECT_LT(at("rocm"), at("metal"));
  EXPECT_LT(at("metal"), at("opencl"));
  EXPECT_LT(at("opencl"), at("webgpu"));
  EXPECT_LT(at("rocm"), at("tpu"));
  EXPECT_LT(at("tpu"), at("intel"));
  EXPECT_EQ(order.back(), "cpu");
}

}  // namespace
}  // namespace fuselab
