// SPDX-License-Identifier: Apache-2.0
// A kernel whose weights are laid out ahead follows what the weights hold, wherever they lie.
#include <gtest/gtest.h>

#include <cstring>

#include "backends/cpu/cpu_backend.h"
#include "core/graph/graph_text.h"

namespace fuselab {
namespace {

constexpr std::int64_t kRows = 8;
constexpr std::int64_t kColumns = 16;

class PreparedInputs : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const Availability usable = backend_->compiler()->probe(); !usable.usable) GTEST_SKIP() << usable.reason;
    device_ = backend_->enumerate().value().front();
    runtime_ = backend_->open(device_).value();
    const Graph graph = parse_graph("graph(x: f32[8,1], w: param f32[1,16]) { y = MatMul(x, w); return y }").value();
    LaunchConfig config = backend_->generator()->default_config(graph, device_.target);
    config.set("pack", std::int64_t{2});
    kernel_ = compile_kernel(*backend_, graph, config, device_.target, OptimizationLevel::kO2, {}).value();
    ASSERT_FALSE(kernel_.abi.preparation.entry.empty());
    EXPECT_EQ(kernel_.abi.preparation.inputs, std::vector<int>{1});
    x_ = filled(kRows, 1);
    y_ = runtime_->allocate({4 * kRows * kColumns}, BufferRole::kOut).value();
  }

  void fill(const Buffer& buffer, std::int64_t elements, float value) {
    const std::vector<float> values(static_cast<std::size_t>(elements), value);
    ASSERT_TRUE(runtime_->upload(buffer, std::as_bytes(std::span(values))).ok());
  }
  Buffer filled(std::int64_t elements, float value) {
    const Buffer buffer = runtime_->allocate({4 * elements}, BufferRole::kIn).value();
    fill(buffer, elements, value);
    return buffer;
  }
  float first_result() {
    std::vector<float> values(static_cast<std::size_t>(kRows * kColumns));
    EXPECT_TRUE(runtime_->download(std::as_writable_bytes(std::span(values)), y_).ok());
    EXPECT_EQ(values.front(), values.back());
    return values.front();
  }

  std::unique_ptr<FusionBackend> backend_ = make_cpu_backend();
  DeviceInfo device_;
  std::unique_ptr<DeviceRuntime> runtime_;
  CompiledKernel kernel_;
  Buffer x_, y_;
};

TEST_F(PreparedInputs, AreMadeAgainWhenTheWeightsChange) {
  const auto executable = runtime_->load(kernel_).value();
  const Buffer weights = filled(kColumns, 2);
  ASSERT_TRUE(executable->enqueue(std::vector{x_, weights, y_}).ok());
  EXPECT_EQ(first_result(), 2);
  fill(weights, kColumns, 3);
  ASSERT_TRUE(executable->enqueue(std::vector{x_, weights, y_}).ok());
  EXPECT_EQ(first_result(), 3);
}

TEST_F(PreparedInputs, AreKeptForEachSetOfWeights) {
  const auto executable = runtime_->load(kernel_).value();
  const Buffer two = filled(kColumns, 2);
  const Buffer five = filled(kColumns, 5);
  for (const auto& [weights, expected] : {std::pair{two, 2.0F}, {five, 5.0F}, {two, 2.0F}}) {
    ASSERT_TRUE(executable->enqueue(std::vector{x_, weights, y_}).ok());
    EXPECT_EQ(first_result(), expected);
  }
  const std::vector<Launch> sequence = {{executable.get(), {x_, five, y_}}, {executable.get(), {x_, two, y_}}};
  ASSERT_TRUE(runtime_->time(sequence, 3).ok());
  EXPECT_EQ(first_result(), 2);
}

TEST_F(PreparedInputs, OfAnArgumentThatDoesNotExistAreRefused) {
  kernel_.abi.preparation.inputs = {7};
  EXPECT_FALSE(runtime_->load(kernel_).ok());
}

TEST_F(PreparedInputs, OfAFunctionThatDoesNotExistAreRefused) {
  kernel_.abi.preparation.entry = "nothing";
  EXPECT_FALSE(runtime_->load(kernel_).ok());
}

}  // namespace
}  // namespace fuselab
