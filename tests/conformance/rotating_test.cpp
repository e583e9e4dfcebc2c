// SPDX-License-Identifier: Apache-2.0
// What is timed with rotating buffers: one kernel in a row on several sets of buffers, each of which holds other numbers here.
#include <gmock/gmock.h>

#include "core/graph/graph_text.h"
#include "core/reference/reference.h"
#include "core/reference/tolerance.h"
#include "core/tensor/tensor.h"
#include "tests/conformance/backend_case.h"

namespace fuselab::conformance {
namespace {

constexpr int kSets = 5;
constexpr std::int64_t kApart = 4096;

// The buffers of a kernel, several sets of them in one allocation for each argument.
class Sets {
 public:
  Sets(DeviceRuntime& runtime, const Graph& graph) : runtime_(runtime), graph_(graph) {}
  ~Sets() {
    executable_.reset();
    for (const Buffer& buffer : wholes_) EXPECT_TRUE(runtime_.release(buffer).ok());
  }

  Status bind(const CompiledKernel& kernel) {
    FL_TRY(executable_, runtime_.load(kernel));
    launches_.assign(kSets, Launch{executable_.get(), {}});
    for (const KernelArgument& argument : kernel.abi.arguments) {
      FL_TRY(const Bytes size, size_of(argument.type));
      FL_TRY(Buffer whole, runtime_.allocate({(kSets - 1) * kApart + size.count}, argument.role));
      wholes_.push_back(whole);
      whole.size = size;
      for (Launch& launch : launches_) {
        launch.arguments.push_back(whole);
        whole.offset += kApart;
      }
    }
    for (int set = 0; set < kSets; ++set) FL_TRY_VOID(give(set, 1 + static_cast<std::uint64_t>(set)));
    return {};
  }

  // New inputs for a set.
  Status give(int set, std::uint64_t seed) {
    std::vector<RealTensor>& inputs = inputs_[set];
    inputs = make_inputs(graph_, {InputPattern::kUniform, seed});
    for (std::size_t i = 0; i < inputs.size(); ++i) FL_TRY_VOID(runtime_.upload(at(set).arguments[i], pack(inputs[i])));
    return {};
  }

  Status time(int first, int launches, int repetitions) {
    for (const Launch& launch : launches_) {
      const Buffer& output = launch.arguments[graph_.inputs().size()];
      FL_TRY_VOID(runtime_.upload(output, std::vector<std::byte>(static_cast<std::size_t>(output.size.count), std::byte{0xff})));
    }
    const auto timed = std::span(launches_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(launches));
    FL_TRY(const Timing timing, runtime_.time(timed, repetitions));
    EXPECT_GT(timing.duration.count, 0);
    return runtime_.synchronize();
  }

  Result<bool> matches(int set) {
    const auto& type = graph_.type(graph_.outputs().front());
    const Buffer& output = at(set).arguments[graph_.inputs().size()];
    std::vector<std::byte> bytes(static_cast<std::size_t>(output.size.count));
    FL_TRY_VOID(runtime_.download(bytes, output));
    FL_TRY(RealTensor tensor, unpack(type, bytes));
    FL_TRY(const auto expected, expected_outputs(graph_, inputs_[set], 1));
    const std::vector<RealTensor> actual = {std::move(tensor)};
    return compare_outputs(graph_, expected, actual).passed;
  }

 private:
  Launch& at(int set) { return launches_[static_cast<std::size_t>(set)]; }

  DeviceRuntime& runtime_;
  const Graph& graph_;
  std::unique_ptr<Executable> executable_;
  std::vector<Buffer> wholes_;
  std::vector<Launch> launches_;
  std::vector<RealTensor> inputs_[kSets];
};

class Rotating : public testing::TestWithParam<BackendCase> {
 protected:
  void SetUp() override {
    opened_ = open_first_device(GetParam());
    if (!opened_.why_not.empty()) GTEST_SKIP() << opened_.why_not;
    if (opened_.device.synthetic) GTEST_SKIP() << "a synthetic device computes nothing while it is timed";
  }

  void expect_each_set_computed(const LaunchConfig& config) {
    SCOPED_TRACE(config.text());
    const auto& target = opened_.device.target;
    const auto kernel = compile_kernel(*opened_.backend, graph_, config, target, OptimizationLevel::kO2, {});
    ASSERT_TRUE(kernel.ok()) << kernel.error().message;
    Sets sets(*opened_.runtime, graph_);
    Status done = sets.bind(kernel.value());
    ASSERT_TRUE(done.ok()) << done.error().message;
    done = sets.time(0, kSets, 2);
    ASSERT_TRUE(done.ok()) << done.error().message;
    for (int set = 0; set < kSets; ++set) EXPECT_TRUE(sets.matches(set).value()) << set;
    ASSERT_TRUE(sets.give(3, 77).ok());  // what was laid out ahead of time for this set is no more
    done = sets.time(2, 2, 1);
    ASSERT_TRUE(done.ok()) << done.error().message;
    for (int set = 0; set < kSets; ++set) EXPECT_EQ(sets.matches(set).value(), set == 2 || set == 3) << set;
  }

  Graph graph_ = parse_graph("graph(i0: f32[7,33], p0: param f32[33,17]) { v0 = MatMul(i0, p0); return v0 }").value();
  Opened opened_;
};

INSTANTIATE_TEST_SUITE_P(Seam, Rotating, testing::ValuesIn(all_cases()), [](const auto& given) { return given.param.id; });

TEST_P(Rotating, EachLaunchComputesOnItsOwnSet) {
  LaunchConfig config = opened_.backend->generator()->default_config(graph_, opened_.device.target);
  expect_each_set_computed(config);
  if (!config.has("weights")) return;
  config.set("weights", std::string("packed"));
  expect_each_set_computed(config);
}

}  // namespace
}  // namespace fuselab::conformance
