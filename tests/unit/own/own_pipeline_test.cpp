// SPDX-License-Identifier: Apache-2.0
#include "app/engine/own/own_pipeline.h"

#include <gmock/gmock.h>

#include "backends/codegen/own/own_module.h"
#include "core/tuning/own_space.h"
#include "tests/unit/own/own_folder.h"

namespace fuselab::engine {
namespace {

using ::testing::HasSubstr;

Target processor() {
  Target target;
  target.id = "x86-64-v2";
  target.arch = "x86-64";
  return target;
}

// A second kernel beside the folder's own, which overwrites y in place and keeps sums of its own.
constexpr const char* kHalve =
    "language = \"c\"\nsource = \"halve.c\"\nfunction = \"halve\"\n"
    "reference = \"graph(y: f32[n]) { half = Constant(value=0.5); h = Mul(y, half); return h }\"\n[sizes]\nn = 64\n"
    "[[argument]]\nname = \"y\"\nrole = \"inout\"\ntype = \"f32\"\nshape = [\"n\"]\n"
    "[[argument]]\nname = \"sums\"\nrole = \"scratch\"\ntype = \"f64\"\nelements = \"n / width\"\n"
    "[parameters]\nwidth = [4, 8]\n";

class OwnPipelineTest : public ::testing::Test {
 protected:
  OwnPipelineTest() {
    folder_.write("halve.toml", kHalve);
    folder_.write("halve.c",
                  "void halve(float* y, double* sums) { for (int i = 0; i < n; ++i) y[i] /= 2; sums[width - 1] = 0; }\n");
    folder_.write("both.toml", "kernels = [\"twice.toml\", \"halve.toml\"]\n");
  }
  Result<OwnPipeline> read(const char* file = "both.toml", const Bindings& sizes = {}) {
    return read_own_pipeline(folder_.path() / file, sizes);
  }
  std::string error() {
    const auto pipeline = read();
    if (!pipeline.ok()) return pipeline.error().message;
    const auto graph = graph_of(pipeline.value());
    return graph.ok() ? "" : graph.error().message;
  }
  OwnFolder folder_;
};

TEST_F(OwnPipelineTest, HandsOnWhatAKernelWroteUnderItsName) {
  const auto pipeline = read();
  ASSERT_TRUE(pipeline.ok()) << pipeline.error().message;
  const Graph graph = graph_of(pipeline.value()).value();
  ASSERT_EQ(graph.nodes().size(), 2u);
  EXPECT_EQ(graph.inputs().size(), 1u);
  EXPECT_EQ(graph.nodes()[1].inputs, graph.nodes()[0].outputs);
  EXPECT_EQ(graph.outputs(), graph.nodes()[1].outputs);
  EXPECT_EQ(graph.nodes()[1].name, "halve");
  EXPECT_THAT(own_summary(pipeline.value()), HasSubstr("2 kernels of your own in a row"));
}

TEST_F(OwnPipelineTest, GivesASizeToEveryKernelThatHasIt) {
  const auto pipeline = read("both.toml", {{"n", 128}});
  ASSERT_TRUE(pipeline.ok()) << pipeline.error().message;
  EXPECT_EQ(pipeline.value().sizes(), (Bindings{{"n", 128}}));
  EXPECT_EQ(pipeline.value().kernels[1].kernel.arguments[0].shape.front().extent(), 128);
}

TEST_F(OwnPipelineTest, RefusesASizeThatNoKernelHas) {
  EXPECT_EQ(read("both.toml", {{"m", 128}}).error().message, "--shape: 'm' is no size of both.toml; it has n");
}

TEST_F(OwnPipelineTest, IsOneKernelWhereTheFileIsAKernels) {
  const auto one = read("twice.toml");
  ASSERT_TRUE(one.ok()) << one.error().message;
  EXPECT_EQ(one.value().kernels.size(), 1u);
}

TEST_F(OwnPipelineTest, SaysWhatDoesNotFit) {
  for (const auto& [text, said] : std::vector<std::pair<std::string, std::string>>{
           {"kernels = []\n", "both.toml:1: kernels"},
           {"kernels = [\"twice.toml\", \"twice.toml\"]\n", "two kernels have the name 'twice'"},
           {"kernels = [\"../twice.toml\"]\n", "both.toml:1: kernels has '../twice.toml', which lies outside"},
           {"kernels = [\"both.toml\"]\n", "both.toml:1: kernels stands in a file that another file of kernels names"},
           {"kernels = [\"twice.c\"]\n", "is no kernel's file"},
           {"kernels = [\"twice.toml\", \"none.toml\"]\n",
            "both.toml:1: kernels has 'none.toml', and there is no such file beside it"},
           {"kernels = [\"twice.toml\"]\nlanguage = \"c\"\n", "language"},
       }) {
    folder_.write("both.toml", text);
    EXPECT_THAT(error(), HasSubstr(said)) << text;
  }
  folder_.write("both.toml", "kernels = [\"twice.toml\", \"halve.toml\"]\n");
  std::string opencl = kHalve;
  opencl.replace(opencl.find("\"c\""), 3, "\"opencl\"");
  folder_.write("halve.toml", opencl + "[launch]\ngrid = [1]\nblock = [1]\n");
  EXPECT_THAT(error(), HasSubstr("'twice' is written in C, 'halve' in OpenCL C"));
  std::string other = kHalve;
  folder_.write("halve.toml", std::string(other).replace(other.find("n = 64"), 6, "n = 32"));
  EXPECT_THAT(error(), HasSubstr("the size 'n' is 64 in one kernel and 32 in 'halve'"));
  // Sizes of the same name are the same, so only another shape differs.
  other.replace(other.find("shape = [\"n\"]"), 13, "shape = [1, \"n\"]");
  folder_.write("halve.toml", other.replace(other.find("y: f32[n]"), 9, "y: f32[1,n]"));
  EXPECT_THAT(error(), HasSubstr("'halve' reads 'y' as"));
}

TEST_F(OwnPipelineTest, WhatIsOverwrittenIsReadAndWritten) {
  const OwnKernel kernel = read("halve.toml").value().kernels.front().kernel;
  const Graph graph = graph_of(kernel).value();
  EXPECT_EQ(graph.inputs().size(), 1u);
  EXPECT_EQ(graph.outputs().size(), 1u);
  LaunchConfig config = own_defaults_of(kernel);
  config.set("width", std::int64_t{8});
  const auto module = codegen::own_module(graph, config, processor(), "cpu", "1");
  ASSERT_TRUE(module.ok()) << module.error().message;
  const auto& arguments = module.value().abi.arguments;
  ASSERT_EQ(arguments.size(), 3u);
  EXPECT_EQ(arguments[0].role, BufferRole::kIn);
  EXPECT_EQ(arguments[1].role, BufferRole::kInOut);
  EXPECT_EQ(arguments[1].name, arguments[0].name);
  EXPECT_EQ(arguments[2].role, BufferRole::kScratch);
  EXPECT_EQ(arguments[2].type.shape.front().extent(), 64) << "8 numbers of 8 bytes: its size follows the configuration";
  EXPECT_THAT(module.value().text, HasSubstr("halve((float*)fl_buffers[1], (double*)fl_buffers[2])"));
}

}  // namespace
}  // namespace fuselab::engine
