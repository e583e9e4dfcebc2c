// SPDX-License-Identifier: Apache-2.0
// A long launch of the cpu backend is cut into parts that its threads take. Whichever thread takes one, and into however many parts
// a launch is cut, the bytes are those of the first launch.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/graph/graph_text.h"
#include "core/tensor/tensor.h"
#include "tests/conformance/backend_case.h"

namespace fuselab::conformance {
namespace {

class Parts : public testing::TestWithParam<const char*> {};

// Each takes some hundred microseconds or more on two threads, so that later launches have more parts than the first.
INSTANTIATE_TEST_SUITE_P(
    Cpu, Parts,
    testing::Values("graph(x: f32[512,4099]) { y = Softmax(x); return y }",
                    "graph(x: f32[130,768], w: param f32[768,1025]) { p = MatMul(x, w); y = Gelu(p); return y }",
                    "graph(x: f32[1,64,56,56], w: param f32[64,64,3,3]) { c = Conv(x, w, pads=[1,1,1,1]); y = Relu(c); return y }",
                    "graph(x: f32[1025,2049]) { y = ReduceSum(x, axes=[1]); return y }",
                    "graph(x: f32[2049,1025]) { y = ReduceSum(x, axes=[0]); return y }",
                    "graph(x: f32[2097169]) { y = ReduceSum(x, axes=[0]); return y }"));

TEST_P(Parts, EveryLaunchComputesTheBytesOfTheFirst) {
  const auto built = built_backends();
  if (std::find(built.begin(), built.end(), "cpu") == built.end()) GTEST_SKIP() << "the backend cpu is not built";
  const auto opened = open_first_device(case_of("cpu"));
  if (!opened.why_not.empty()) GTEST_SKIP() << opened.why_not;
  const Graph graph = parse_graph(GetParam()).value();
  const auto config = opened.backend->generator()->default_config(graph, opened.device.target);
  const auto kernel = compile_kernel(*opened.backend, graph, config, opened.device.target, OptimizationLevel::kO2, {});
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  auto executable = opened.runtime->load(kernel.value());
  ASSERT_TRUE(executable.ok()) << executable.error().message;
  const std::vector<RealTensor> inputs = make_inputs(graph, {InputPattern::kUniform, 7});
  std::vector<Buffer> arguments;
  for (std::size_t i = 0; i < kernel.value().abi.arguments.size(); ++i) {
    const KernelArgument& argument = kernel.value().abi.arguments[i];
    arguments.push_back(opened.runtime->allocate(size_of(argument.type).value(), argument.role).value());
    if (i < inputs.size()) ASSERT_TRUE(opened.runtime->upload(arguments[i], pack(inputs[i])).ok());
  }
  const Buffer& output = arguments[inputs.size()];
  const std::vector<std::byte> poison(static_cast<std::size_t>(output.size.count), std::byte{0xff});
  std::vector<std::byte> first(poison.size()), later(poison.size());
  ASSERT_TRUE(executable.value()->enqueue(arguments).ok());
  ASSERT_TRUE(opened.runtime->synchronize().ok());
  ASSERT_TRUE(opened.runtime->download(first, output).ok());
  ASSERT_NE(first, poison);
  for (int launch = 0; launch < 20; ++launch) {
    ASSERT_TRUE(opened.runtime->upload(output, poison).ok());
    ASSERT_TRUE(executable.value()->enqueue(arguments).ok());
    ASSERT_TRUE(opened.runtime->synchronize().ok());
    ASSERT_TRUE(opened.runtime->download(later, output).ok());
    ASSERT_EQ(later, first) << "launch " << launch;
  }
  executable.value().reset();
  for (const Buffer& buffer : arguments) EXPECT_TRUE(opened.runtime->release(buffer).ok());
}

}  // namespace
}  // namespace fuselab::conformance
