// SPDX-License-Identifier: Apache-2.0
#include "app/engine/own/own_t1.h"

#include <gmock/gmock.h>

#include <fstream>

#include "tests/unit/own/own_folder.h"

namespace fuselab::engine {
namespace {

using ::testing::HasSubstr;

std::string file_with(const std::string& specification) {
  return R"({"ConfigurationSpace": {"TuningParameters": [
      {"Name": "block_size_x", "Type": "int", "Values": "[32 * i for i in range(1, 4)]", "Default": 64},
      {"Name": "filter", "Type": "int", "Values": "[15]", "Default": 15}],
      "Conditions": [{"Expression": "32 <= block_size_x <= 64"}]},
    "KernelSpecification": {"KernelName": "k", "KernelFile": "k.cu", )" +
         specification + "}}";
}
const std::string kLaunch = R"("Language": "CUDA", "ProblemSize": [4096, 16], "GlobalSizeType": "CUDA",
    "LocalSize": {"X": "block_size_x"}, "GridDivX": ["block_size_x"], )";
const std::string kArguments = R"("Arguments": [
    {"Name": "out", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": "ProblemSize[0]*ProblemSize[1]"},
    {"Name": "in", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": "ProblemSize[0] + max(filter) - 1"},
    {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 4096}])";

TEST(OwnT1, ReadsSpaceLaunchAndArguments) {
  const auto read = read_own_t1(file_with(kLaunch + kArguments), "k.json", {});
  ASSERT_TRUE(read.ok()) << read.error().message;
  const OwnKernel& kernel = read.value().kernel;
  EXPECT_EQ(kernel.language, "cuda");
  EXPECT_THAT(kernel.parameters[0].values, ::testing::ElementsAre("32", "64", "96"));
  EXPECT_EQ(kernel.parameters[0].otherwise, "64");
  EXPECT_EQ(kernel.grid[0], "ceil_div(4096, (block_size_x))");
  EXPECT_EQ(kernel.grid[1], "ceil_div(16, 1)");
  EXPECT_EQ(shape_text(kernel.arguments[0].shape), "[65536]");
  EXPECT_EQ(shape_text(kernel.arguments[1].shape), "[4110]");
  EXPECT_EQ(kernel.arguments[2].value, "4096");
  EXPECT_EQ(kernel.constraints.size(), 1u);
}

TEST(OwnT1, SaysWhatItDoesNotTake) {
  const auto error = [](const std::string& specification) {
    const auto read = read_own_t1(file_with(specification), "k.json", {});
    return read.ok() ? "" : read.error().message;
  };
  EXPECT_THAT(error("\"Language\": \"Vulkan\""), HasSubstr("k.json: KernelSpecification.Language is 'Vulkan'"));
  EXPECT_THAT(read_own_t1(file_with(kLaunch + R"("Arguments": [])"), "k.json", {}).value().not_runnable,
              HasSubstr("lists no arguments"));
  EXPECT_THAT(error(kLaunch + R"("Arguments": [{"Name": "a", "Type": "float4", "MemoryType": "Vector"}])"),
              HasSubstr("KernelSpecification.Arguments[0].Type is 'float4'"));
  EXPECT_THAT(error(kLaunch + R"("Arguments": [{"Name": "a", "Type": "float", "MemoryType": "Vector", "Size": "block_size_x"}])"),
              HasSubstr("the same size in every configuration"));
  EXPECT_THAT(error(kLaunch + kArguments + R"(, "CompilerOptions": ["-I/usr/include"])"), HasSubstr("CompilerOptions"));
  EXPECT_THAT(read_own_t1("{", "k.json", {}).error().message, HasSubstr("no JSON object"));
  EXPECT_THAT(read_own_t1("{}", "k.json", {}).error().message, HasSubstr("no KernelSpecification"));
}

TEST(OwnT1, WhatIsReadAndWrittenIsOverwrittenInPlace) {
  const auto read = read_own_t1(
      file_with(kLaunch +
                R"("Arguments": [{"Name": "a", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadWrite", "Size": 4}])"),
      "k.json", {});
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read.value().kernel.arguments.front().role, OwnRole::kInOut);
}

TEST(OwnT1, CanBeLookedAtWithoutItsSource) {
  OwnFolder folder;
  folder.write("k.json", file_with(kLaunch + kArguments));
  const auto own = read_own_file(folder.path() / "k.json", {});
  ASSERT_TRUE(own.ok()) << own.error().message;
  EXPECT_THAT(own.value().not_runnable, HasSubstr("k.cu"));
}

}  // namespace
}  // namespace fuselab::engine
