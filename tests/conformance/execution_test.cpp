// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "core/graph/graph_text.h"
#include "tests/conformance/backend_case.h"
#include "tests/conformance/kernel_run.h"

namespace fuselab::conformance {
namespace {

class Execution : public testing::TestWithParam<BackendCase> {
 protected:
  void SetUp() override {
    opened_ = open_first_device(GetParam());
    if (!opened_.why_not.empty()) GTEST_SKIP() << opened_.why_not;
  }

  Result<CompiledKernel> compile(std::stop_token stop = {}) {
    const auto& target = opened_.device.target;
    const auto config = opened_.backend->generator()->default_config(graph_, target);
    return compile_kernel(*opened_.backend, graph_, config, target, OptimizationLevel::kO2, std::move(stop));
  }

  Graph graph_ = parse_graph("graph(i0: f32[7,33], i1: f32[7,33]) { v0 = Add(i0, i1); v1 = Neg(v0); return v1 }").value();
  Opened opened_;
};

INSTANTIATE_TEST_SUITE_P(Seam, Execution, testing::ValuesIn(all_cases()), [](const auto& given) { return given.param.id; });

TEST_P(Execution, LoadsABinaryThatWentThroughBytes) {
  const auto compiled = compile();
  ASSERT_TRUE(compiled.ok()) << compiled.error().message;
  CompiledKernel stored;  // what a database gives back: no source text
  stored.identity = compiled.value().identity;
  stored.config = compiled.value().config;
  stored.binary = compiled.value().binary;
  stored.abi = compiled.value().abi;
  auto run = KernelRun::create(*opened_.runtime, stored, graph_);
  ASSERT_TRUE(run.ok()) << run.error().message;
  ASSERT_TRUE(run.value()->launch().ok());
  const auto verification = run.value()->verify();
  ASSERT_TRUE(verification.ok());
  EXPECT_TRUE(verification.value().passed) << verification.value().detail;
  EXPECT_EQ(verification.value().checked, 7 * 33);
}

TEST_P(Execution, GivesTheSameResultAtEveryLaunch) {
  const auto compiled = compile();
  ASSERT_TRUE(compiled.ok()) << compiled.error().message;
  auto run = KernelRun::create(*opened_.runtime, compiled.value(), graph_);
  ASSERT_TRUE(run.ok());
  for (int launch = 0; launch < 3; ++launch) {
    ASSERT_TRUE(run.value()->launch().ok());
    EXPECT_TRUE(run.value()->verify().value().passed);
  }
}

TEST_P(Execution, TimesWithAStatedClock) {
  const auto compiled = compile();
  ASSERT_TRUE(compiled.ok()) << compiled.error().message;
  auto run = KernelRun::create(*opened_.runtime, compiled.value(), graph_);
  ASSERT_TRUE(run.ok());
  const auto timing = run.value()->time(10);
  ASSERT_TRUE(timing.ok()) << timing.error().message;
  EXPECT_GT(timing.value().duration.count, 0);
  EXPECT_EQ(timing.value().source == TimingSource::kSynthetic, opened_.device.synthetic)
      << "a synthetic clock belongs to a synthetic device, and only there";
}

TEST_P(Execution, GivesEqualKernelsEqualIdentities) {
  const auto first = compile();
  const auto second = compile();
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first.value().kernel_id(), second.value().kernel_id());
  EXPECT_EQ(first.value().identity.backend, GetParam().id);
  EXPECT_FALSE(first.value().identity.compiler_version.empty());
  EXPECT_GT(first.value().resources.at("code_bytes"), 0);
}

TEST_P(Execution, RefusesABinaryOfAnotherKind) {
  auto compiled = compile();
  ASSERT_TRUE(compiled.ok());
  auto kernel = std::move(compiled).value();
  kernel.binary.format = "punched-cards";
  EXPECT_FALSE(opened_.runtime->load(kernel).ok());
}

TEST_P(Execution, RefusesBytesThatAreNoKernel) {
  auto compiled = compile();
  ASSERT_TRUE(compiled.ok());
  auto kernel = std::move(compiled).value();
  kernel.binary.data.assign(100, std::byte{0x2a});
  EXPECT_FALSE(opened_.runtime->load(kernel).ok());
  kernel.binary.data.clear();
  EXPECT_FALSE(opened_.runtime->load(kernel).ok());
}

TEST_P(Execution, GivesACancelledCompilationUpSoon) {
  std::stop_source source;
  const std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    source.request_stop();
  });
  const auto start = std::chrono::steady_clock::now();
  const auto compiled = compile(source.get_token());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!compiled.ok()) {
    EXPECT_EQ(compiled.error().code, ErrorCode::kCancelled) << compiled.error().message;
  }
  EXPECT_LT(seconds, 10);
  source.request_stop();
  const auto refused = compile(source.get_token());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kCancelled);
}

TEST_P(Execution, ReportsAnImpossibleAllocation) {
  const auto buffer = opened_.runtime->allocate(Bytes{std::int64_t{1} << 60}, BufferRole::kIn);
  ASSERT_FALSE(buffer.ok());
  EXPECT_EQ(buffer.error().code, ErrorCode::kOutOfMemory);
}

// Ends the process with 0 when writing behind a buffer's end went unnoticed.
void overrun(const BackendCase& backend, const Graph& graph) {
  auto opened = open_first_device(backend);
  const auto& target = opened.device.target;
  const auto kernel = compile_kernel(*opened.backend, graph, opened.backend->generator()->default_config(graph, target), target,
                                     OptimizationLevel::kO2, {});
  if (!kernel.ok()) std::_Exit(0);
  auto run = KernelRun::create(*opened.runtime, kernel.value(), graph, /*shorter_output=*/4);
  if (!run.ok()) std::_Exit(0);
  std::_Exit(run.value()->launch().ok() ? 0 : 3);
}

TEST_P(Execution, NoticesAKernelThatWritesBehindItsBuffer) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto noticed = [](int status) { return !(WIFEXITED(status) && WEXITSTATUS(status) == 0); };
  EXPECT_EXIT(overrun(GetParam(), graph_), noticed, "");
}

}  // namespace
}  // namespace fuselab::conformance
