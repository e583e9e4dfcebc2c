// SPDX-License-Identifier: Apache-2.0
#include "core/backend/backend_names.h"

#include <gmock/gmock.h>

#include <set>

namespace fuselab {
namespace {

TEST(BackendNames, AreUniqueLowerCaseIds) {
  std::set<std::string_view> seen;
  for (auto const& info : known_backends()) {
    EXPECT_TRUE(seen.insert(info.id).second) << info.id;
    EXPECT_TRUE(std::none_of(info.id.begin(), info.id.end(), [](char c) { return c >= 'A' && c <= 'Z'; })) << info.id;
    EXPECT_FALSE(info.display_name.empty());
  }
}

TEST(BackendNames, CoverEverySystemOfTheDocuments) {
  for (auto const id : {"triton", "xla",    "cpu", "cuda", "rocm",   "metal", "opencl",     "webgpu", "cudnn", "mkl",
                        "onednn", "openmp", "nki", "xeon", "nnpack", "mha",   "cusparselt", "tpu",    "intel", "opt_einsum"}) {
    EXPECT_NE(find_backend_info(id), nullptr) << id;
  }
}

TEST(BackendNames, KeepTheNumberBands) {
  for (auto const& info : known_backends()) {
    int const number = static_cast<int>(info.type);
    if (number == 999) continue;
    EXPECT_EQ(number < 10, info.requires_gpu && number < 20) << info.id;
    EXPECT_EQ(id_of(info.type), info.id);
    EXPECT_EQ(backend_type_of(info.id), info.type);
  }
  EXPECT_EQ(static_cast<int>(BackendType::kMps), 1);
  EXPECT_EQ(static_cast<int>(BackendType::kCpu), 10);
  EXPECT_EQ(static_cast<int>(BackendType::kXeon), 14);
  EXPECT_EQ(static_cast<int>(BackendType::kNki), 20);
  EXPECT_EQ(static_cast<int>(BackendType::kOptEinsum), 24);
  EXPECT_EQ(id_of(BackendType::kUnknown), std::nullopt);
  EXPECT_EQ(id_of(BackendType::kMps), "metal");
  EXPECT_EQ(id_of(BackendType::kMkldnn), "onednn");
}

TEST(BackendNames, MapTheDocumentsEnumsOntoIds) {
  EXPECT_EQ(id_of(FusionBackendType::kTriton), "triton");
  EXPECT_EQ(id_of(FusionBackendType::kXla), "xla");
  EXPECT_EQ(id_of(FusionBackendType::kNone), std::nullopt);
  EXPECT_EQ(fusion_backend_type_of("Triton"), FusionBackendType::kTriton);
  EXPECT_EQ(fusion_backend_type_of("cpu"), FusionBackendType::kCustom);
  EXPECT_EQ(name_of(FusionBackendType::kXla), "XLA");
  EXPECT_EQ(id_of(VendorFamily::kNvidia), "cuda");
  EXPECT_EQ(id_of(VendorFamily::kAuto), std::nullopt);
  EXPECT_EQ(id_of(ComputeBackend::kCpuSimd), "cpu");
  EXPECT_EQ(id_of(BackendPreference::kRocm), "rocm");
  EXPECT_EQ(id_of(BackendPreference::kAuto), std::nullopt);
}

TEST(BackendNames, ParseIdsAndAliasesInAnyCase) {
  EXPECT_EQ(parse_backend_id("CUDA").value(), "cuda");
  EXPECT_EQ(parse_backend_id("MPS").value(), "metal");
  EXPECT_EQ(parse_backend_id("MKLDNN").value(), "onednn");
  EXPECT_EQ(parse_backend_id("Hip").value(), "rocm");
  auto const unknown = parse_backend_id("quantum");
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().message, testing::HasSubstr("unknown backend 'quantum'; known: cpu, cuda"));
}

TEST(BackendNames, ParsePreferences) {
  EXPECT_EQ(parse_backend_preference("Auto").value(), BackendPreference::kAuto);
  EXPECT_EQ(parse_backend_preference("WebGPU").value(), BackendPreference::kWebGpu);
  EXPECT_FALSE(parse_backend_preference("tpu").ok());
}

TEST(BackendNames, OrderGpusBeforeTheCpu) {
  auto const order = auto_order();
  auto const at = [&](std::string_view id) { return std::find(order.begin(), order.end(), id) - order.begin(); };
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
