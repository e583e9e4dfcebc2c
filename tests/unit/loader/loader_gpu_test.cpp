// SPDX-License-Identifier: Apache-2.0
// Kernels for GPUs are handed out with what launching them needs, and only as they were signed.
#include <gmock/gmock.h>

#include "core/base/content_hash.h"
#include "tests/unit/loader/bundle_writer.h"

namespace fuselab {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class LoaderGpu : public LoaderTest {
 protected:
  static deploy::Bundle with_gpu_kernel() {
    deploy::Bundle bundle = small_bundle();
    const std::vector<std::byte> code(100, std::byte{7});
    deploy::BundleGpuKernel kernel;
    kernel.piece = "scale";
    kernel.file = ContentHash::of(code).hex();
    kernel.format = "cubin";
    kernel.target = "sm_90a";
    kernel.entry = "fuselab_kernel";
    kernel.configured = deploy::kDefault;
    kernel.grid = {4, 1, 1};
    kernel.block = {128, 1, 1};
    kernel.shared_bytes = 2048;
    kernel.parameters = {{"x", "in", "f32[16]", kFloatBytes, 16}, {"y", "out", "f32[16]", kFloatBytes, 16}, {"", "null", "", 0, 1}};
    bundle.manifest.gpu_kernels = {kernel};
    bundle.gpu_code[kernel.file] = code;
    return bundle;
  }
  // Signs the manifest once more after an edit.
  void expect_refused(const std::function<void(deploy::BundleGpuKernel&)>& edit, const std::string& why) {
    deploy::Bundle bundle = with_gpu_kernel();
    edit(bundle.manifest.gpu_kernels[0]);
    EXPECT_EQ(open(written(std::move(bundle))), FL_CORRUPT) << why;
    EXPECT_THAT(error_.message, HasSubstr(why));
  }
};

TEST_F(LoaderGpu, HandsOutWhatALaunchNeeds) {
  ASSERT_EQ(open(written(with_gpu_kernel())), FL_OK) << error_.message;
  ASSERT_EQ(fl_gpu_kernel_count(bundle_), 1U);
  EXPECT_EQ(fl_gpu_kernel_at(bundle_, 1), nullptr);
  const fl_gpu_kernel* const kernel = fl_gpu_kernel_at(bundle_, 0);
  ASSERT_NE(kernel, nullptr);
  EXPECT_STREQ(kernel->piece, "scale");
  EXPECT_STREQ(kernel->target, "sm_90a");
  EXPECT_STREQ(kernel->entry, "fuselab_kernel");
  EXPECT_STREQ(kernel->cause, "default");
  EXPECT_EQ(std::vector<std::uint32_t>(kernel->grid, kernel->grid + 3), (std::vector<std::uint32_t>{4, 1, 1}));
  EXPECT_EQ(kernel->block[0], 128U);
  EXPECT_EQ(kernel->shared_bytes, 2048U);
  ASSERT_EQ(kernel->code_bytes, 100U);
  EXPECT_EQ(static_cast<const char*>(kernel->code)[99], 7);
  ASSERT_EQ(kernel->parameter_count, 3U);
  EXPECT_EQ(kernel->parameters[0].kind, FL_GPU_IN);
  EXPECT_STREQ(kernel->parameters[0].type, "f32[16]");
  EXPECT_EQ(kernel->parameters[1].kind, FL_GPU_OUT);
  EXPECT_EQ(kernel->parameters[1].bytes, 64U);
  EXPECT_EQ(kernel->parameters[2].kind, FL_GPU_NULL);
  std::size_t piece = 0;
  EXPECT_EQ(fl_find_piece(bundle_, kernel->piece, &piece, &error_), FL_OK);
}

TEST_F(LoaderGpu, ABundleWithoutAnyHasNone) {
  ASSERT_EQ(open(written(small_bundle())), FL_OK) << error_.message;
  EXPECT_EQ(fl_gpu_kernel_count(bundle_), 0U);
  EXPECT_EQ(fl_gpu_kernel_count(nullptr), 0U);
}

TEST_F(LoaderGpu, CodeThatIsNotWhatWasSignedIsRefused) {
  std::vector<std::byte> bytes = written(with_gpu_kernel());
  const std::vector<std::byte> code(100, std::byte{7});
  const auto found = std::search(bytes.begin(), bytes.end(), code.begin(), code.end());
  ASSERT_NE(found, bytes.end());
  *found = std::byte{8};
  EXPECT_EQ(open(bytes), FL_CORRUPT);
}

TEST_F(LoaderGpu, WhatNoExportWritesIsRefused) {
  expect_refused([](auto& kernel) { kernel.grid = {4, 1}; }, "'grid' has other than three numbers");
  expect_refused([](auto& kernel) { kernel.grid = {0, 1, 1}; }, "'grid' is out of range");
  expect_refused([](auto& kernel) { kernel.block = {1, 1, 1, 1}; }, "'block' has other than three numbers");
  expect_refused([](auto& kernel) { kernel.parameters[0].role = "scratch"; }, "'role' is none that this loader knows");
  expect_refused([](auto& kernel) { kernel.shared_bytes = std::int64_t{1} << 40; }, "'shared_bytes' is out of range");
}

}  // namespace
}  // namespace fuselab
