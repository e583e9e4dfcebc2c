// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/opencl_library.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "backends/opencl/opencl_backend.h"

namespace fuselab::opencl {
namespace {

TEST(OpenClBackend, SaysWhyItIsNotUsableWhereThereIsNoLoader) {
  ::setenv("FUSELAB_LIB_OPENCL", "/nonexistent/libOpenCL.so.1", 1);
  const auto backend = make_opencl_backend();
  const std::string reason = "no OpenCL loader here: FUSELAB_LIB_OPENCL: /nonexistent/libOpenCL.so.1 not found";
  EXPECT_FALSE(backend->probe().usable);
  EXPECT_EQ(backend->probe().reason, reason);
  EXPECT_FALSE(backend->enumerate().ok());
  const auto opened = backend->open({});
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().message, reason);
  const auto compiled = backend->compiler()->compile({}, {}, OptimizationLevel::kO2, {});
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ(compiled.error().code, ErrorCode::kUnavailable);
  ::unsetenv("FUSELAB_LIB_OPENCL");
}

TEST(OpenClCodes, HaveNamesAndMeanings) {
  EXPECT_EQ(name_of(abi::kOutOfResources), "CL_OUT_OF_RESOURCES (-5)");
  EXPECT_EQ(name_of(-9999), "OpenCL error -9999");
  EXPECT_EQ(error_code_of(abi::kInvalidBinary), ErrorCode::kCorrupt);
  EXPECT_EQ(error_code_of(abi::kMemObjectAllocationFailure), ErrorCode::kOutOfMemory);
  EXPECT_EQ(error_code_of(-9999), ErrorCode::kLaunchFailed);
}

}  // namespace
}  // namespace fuselab::opencl
