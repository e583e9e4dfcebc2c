// SPDX-License-Identifier: Apache-2.0
// Kernels that are made to fail do fail, each in its way; the one that hangs ends by itself and has then computed what it should.
#include <gmock/gmock.h>

#include <chrono>

#include "backends/cuda/cuda_generator.h"
#include "backends/gpu/faulty_generator.h"
#include "core/graph/graph_text.h"
#include "tests/differential/cuda_trial.h"

namespace fuselab::testing {
namespace {

using ::testing::HasSubstr;

class FaultyCudaKernels : public ::testing::Test {
 protected:
  SourceModule with(const char* fault) {
    LaunchConfig config = faulty_.default_config(graph_, cuda_target());
    config.set("fault", std::string(fault));
    return faulty_.generate(graph_, config, cuda_target()).value();
  }
  std::string outcome_of(const SourceModule& source) {
    const auto object = simt::KernelObject::compile(simt::texts_of(source));
    if (!object.ok()) return object.error().message;
    return try_on_simt(graph_, source.abi, *object.value(), 0, {InputPattern::kUniform, 3}, 1);
  }

  Graph graph_ = parse_graph("graph(x: f32[5,64]) { y = Softmax(x); return y }").value();
  cuda::CudaGenerator sound_;
  gpu::FaultyGenerator faulty_{sound_};
};

TEST_F(FaultyCudaKernels, Fault) {
  EXPECT_EQ(outcome_of(with("none")), "");
  EXPECT_THAT(outcome_of(with("crash")), HasSubstr("writes 4 bytes out of bounds"));
  EXPECT_THAT(outcome_of(with("trap")), HasSubstr("the kernel crashes in thread"));
}

TEST_F(FaultyCudaKernels, HangAndEndByThemselves) {
  SourceModule source = with("hang");
  const std::string nanoseconds = "14000000000ull";
  const std::size_t at = source.text.find(nanoseconds);
  ASSERT_NE(at, std::string::npos);
  source.text.replace(at, nanoseconds.size(), "200000000ull");  // a fifth of a second is enough to be seen
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(outcome_of(source), "");
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(200));
  // A clock that stands still does not keep it: the turns are counted.
  const std::string clock = "fl_nanoseconds() - begin < 200000000ull";
  const std::size_t condition = source.text.find(clock);
  ASSERT_NE(condition, std::string::npos);
  source.text.replace(condition, clock.size(), "true");
  const std::string turns = "turn < 14000";
  source.text.replace(source.text.find(turns), turns.size(), "turn < 14");
  EXPECT_EQ(outcome_of(source), "");
}

}  // namespace
}  // namespace fuselab::testing
