// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/own/own_module.h"

#include <gmock/gmock.h>

#include "tests/unit/own/own_folder.h"

namespace fuselab::codegen {
namespace {

using ::testing::HasSubstr;

const Target kProcessor{"x86-64-v3", "x86-64", {{"threads", 2}}};
const Target kCuda{"sm_90", "cuda", {}};
const Target kOpenCl{"pocl", "opencl", {}};

Graph example(const char* name) {
  return engine::graph_of(engine::read_own_file(std::filesystem::path(FUSELAB_EXAMPLES) / name, {}).value().kernel).value();
}

SourceModule module_of(const Graph& graph, const Target& target, LaunchConfig config = {}) {
  if (config.values().empty()) config = own_default_config(graph, target);
  const auto module = own_module(graph, config, target, "test", "1");
  EXPECT_TRUE(module.ok()) << module.error().message;
  return module.value();
}

TEST(OwnModule, CallsTheFunctionOnceForEachTask) {
  engine::OwnFolder folder;
  const Graph graph = engine::graph_of(folder.read().value().kernel).value();
  const SourceModule module = module_of(graph, kProcessor);
  EXPECT_THAT(module.text, HasSubstr("#define n 64\n#define each 4\n#line 1 \"twice.c\"\n"));
  EXPECT_THAT(module.text, HasSubstr("twice((const float*)fl_buffers[0], (float*)fl_buffers[1], fl_task);"));
  EXPECT_EQ(module.abi.grid_x.text, "16");
  EXPECT_EQ(module.abi.arguments[1].name, "y");
  EXPECT_EQ(module.abi.arguments[1].role, BufferRole::kOut);
  EXPECT_TRUE(module.abi.parameters.empty());
}

TEST(OwnModule, FlagsFollowTheirParameter) {
  const Graph graph = example("stencil.toml");
  LaunchConfig config = own_default_config(graph, kProcessor);
  EXPECT_THAT(module_of(graph, kProcessor, config).flags, ::testing::Not(HasSubstr("-ffast-math")));
  config.set("math", std::string("fast"));
  const SourceModule fast = module_of(graph, kProcessor, config);
  EXPECT_THAT(fast.flags, HasSubstr("-ffast-math"));
  EXPECT_THAT(fast.text, ::testing::Not(HasSubstr("#define math")));
}

TEST(OwnModule, GivesAThreadMemoryOfItsOwn) {
  const SourceModule module = module_of(example("transpose.toml"), kProcessor);
  EXPECT_THAT(module.text, HasSubstr("(float*)((char*)fl_scratch + 0), fl_task)"));
  EXPECT_EQ(module.abi.shared_bytes.text, "256");
}

TEST(OwnModule, StatesWhatEachParameterOfAnEntryIs) {
  const SourceModule module = module_of(example("reduction.toml"), kOpenCl);
  ASSERT_EQ(module.abi.parameters.size(), 4u);
  EXPECT_EQ(module.abi.entry, "sum_rows");
  EXPECT_EQ(module.abi.parameters[0].buffer, 0);
  EXPECT_EQ(module.abi.parameters[1].buffer, 1);
  EXPECT_EQ(module.abi.parameters[2].number, "8192");
  EXPECT_EQ(number_bytes(module.abi.parameters[2]).value().size(), 4u);
  EXPECT_EQ(module.abi.parameters[3].local_bytes.text, "256");
  EXPECT_EQ(module.abi.grid_x.text, "512");
  EXPECT_EQ(module.abi.block_x.text, "64");
}

TEST(OwnModule, KeepsTheOrderOfTheFunction) {
  const SourceModule module = module_of(example("convolution.T1.json"), kOpenCl);
  ASSERT_EQ(module.abi.parameters.size(), 5u);
  EXPECT_EQ(module.abi.parameters[0].buffer, 2);  // the output, which comes after the inputs among the arguments
  EXPECT_EQ(module.abi.parameters[1].buffer, 0);
  EXPECT_EQ(module.abi.grid_x.text, "64");
  EXPECT_EQ(module.abi.grid_y.text, "128");
  EXPECT_EQ(module.abi.block_y.text, "4");
}

TEST(OwnModule, GivesACudaKernelItsSymbol) {
  EXPECT_THAT(module_of(example("matmul.toml"), kCuda).text, HasSubstr("extern \"C\" __global__ void"));
}

TEST(OwnModule, IsForTheLanguageOfItsTarget) {
  EXPECT_EQ(own_support(example("matmul.toml"), kProcessor).why_not, "the kernel is written in CUDA, and x86-64-v3 takes C");
  EXPECT_FALSE(own_support(example("stencil.toml"), kOpenCl).yes);
}

TEST(OwnModule, TunesThreadsWhereThereAreTasks) {
  const ParameterSpace space = own_space(example("transpose.toml"), kProcessor);
  EXPECT_EQ(space.parameters().back().name, "threads");
  EXPECT_EQ(own_space(example("reduction.toml"), kOpenCl).parameters().back().name, "contiguous");
}

}  // namespace
}  // namespace fuselab::codegen
