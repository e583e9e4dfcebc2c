// SPDX-License-Identifier: Apache-2.0
// Production execution on a device whose kernels crash, hang, want too much memory or do not compile: the outputs come anyway, from
// the next candidate, and the result says so.
#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "app/engine/execute/execute_subject.h"
#include "app/engine/execute/hand_over.h"
#include "core/graph/graph_text.h"
#include "core/platform/files/atomic_file.h"
#include "core/reference/reference.h"
#include "core/reference/special_inputs.h"
#include "tests/faults/support/engine_fixture.h"

namespace fuselab {
namespace {

using engine::ExecutedSubject;
using engine::ExecuteSpec;
using testing::HasSubstr;

class Execution : public EngineTest {
 protected:
  static ExecuteSpec spec_of(const std::string& config) {
    ExecuteSpec spec;
    spec.subject = "graph(i0: f32[8,16], p0: param f32[16]) { v0 = Add(i0, p0); v1 = Relu(v0); return v1 }";
    spec.devices.only = {"null:1"};
    spec.config = config;
    spec.check = true;
    spec.launch_timeout = {5e8};
    return spec;
  }
  ExecutedSubject run(const ExecuteSpec& spec) {
    auto executed = engine::execute_subject(*engine_, spec, {});
    EXPECT_TRUE(executed.ok()) << executed.error().message;
    return executed.ok() ? std::move(executed).value().front() : ExecutedSubject();
  }
  // Ends well elsewhere, with one degradation that says why.
  void expect_degraded(const std::string& fault, const std::string& because) {
    const ExecutedSubject done = run(spec_of("a=0,b=0,fault=" + fault));
    ASSERT_EQ(done.runs.size(), 1U) << fault;
    ASSERT_FALSE(done.runs[0].degradations.empty()) << fault;
    EXPECT_EQ(done.runs[0].degradations[0].from, "null:1 fused");
    EXPECT_THAT(done.runs[0].degradations[0].reason, HasSubstr(because)) << fault;
    EXPECT_TRUE(done.verification && done.verification->passed) << fault;
    EXPECT_EQ(done.runs[0].uses.at(0).ran_on.find("null:1 fused"), std::string::npos) << fault;
    EXPECT_GE(done.counts.at("null").left, 1) << fault;
    EXPECT_GE(done.counts.at("null").failures, 1) << fault;
  }
};

TEST_F(Execution, RunsWhereItShouldAndHoldsTheReference) {
  const ExecutedSubject done = run(spec_of(""));
  ASSERT_EQ(done.runs.size(), 1U);
  EXPECT_TRUE(done.runs[0].degradations.empty());
  EXPECT_EQ(done.runs[0].uses.at(0).ran_on, "null:1 fused");
  EXPECT_TRUE(done.verification && done.verification->passed);
  EXPECT_GT(done.verification->checked, 0);
  EXPECT_EQ(done.counts.at("null").success_rate(), 1);
}

// Later passes read inputs again, whose buffers a later tensor would else have taken over.
TEST_F(Execution, RepeatedLaunchesGiveTheSameOutputs) {
  ExecuteSpec spec;
  spec.subject =
      "graph(i0: f32[64,64], p0: param f32[64,64]) { v0 = MatMul(i0, p0); v1 = Softmax(v0); v2 = MatMul(v1, p0); return v2 }";
  spec.devices.only = {"cpu:0"};
  spec.check = true;
  spec.steady = 3;
  const ExecutedSubject done = run(spec);
  EXPECT_TRUE(done.verification && done.verification->passed);
  ASSERT_EQ(done.runs.size(), 1U);
  for (const auto& use : done.runs[0].uses) EXPECT_GT(use.steady.count, 0) << use.name;
}

TEST_F(Execution, GoesOnElsewhereWhenAKernelCrashes) {
  expect_degraded("crash", "killed by signal");
}
TEST_F(Execution, GoesOnElsewhereWhenALaunchHangs) {
  expect_degraded("hang", "lasted longer than");
}
TEST_F(Execution, GoesOnElsewhereWhenThereIsNoMemory) {
  expect_degraded("oom", "scripted out of memory");
}
TEST_F(Execution, GoesOnElsewhereWhenAKernelDoesNotCompile) {
  expect_degraded("compile-error", "scripted compile error");
}
TEST_F(Execution, GoesOnElsewhereWhenALaunchFails) {
  expect_degraded("launch-error", "scripted launch error");
}

TEST_F(Execution, WithoutFallbackTheErrorNamesAllThatWereTried) {
  ExecuteSpec spec = spec_of("a=0,b=0,fault=crash");
  spec.subject = "graph(i0: f32[8,16]) { v0 = Relu(i0); return v0 }";
  spec.fall_back = false;
  const auto executed = engine::execute_subject(*engine_, spec, {});
  ASSERT_FALSE(executed.ok());
  EXPECT_THAT(executed.error().message, HasSubstr("could be run nowhere: null:1 single: "));
}

TEST_F(Execution, ASecondRunKeepsItsKernels) {
  ExecuteSpec spec = spec_of("");
  spec.times = 2;
  const ExecutedSubject done = run(spec);
  ASSERT_EQ(done.runs.size(), 2U);
  EXPECT_FALSE(done.runs[0].stages.at(0).cache_hit);
  EXPECT_TRUE(done.runs[1].stages.at(0).cache_hit);
  EXPECT_EQ(done.runs[1].stages.at(0).compilation, Nanoseconds{});
  EXPECT_GT(done.runs[0].stages.at(0).first_launch.count, 0);
  EXPECT_EQ(done.runs[1].stages.at(0).first_launch, Nanoseconds{});
  EXPECT_GT(done.runs[1].stages.at(0).execution.count, 0);
}

TEST_F(Execution, RefusesWhatTheHostHasNoMemoryForBeforeAnythingIsMade) {
  ExecuteSpec spec = spec_of("");
  spec.subject = "graph(x: f32[1048576,1048576]) { y = Relu(x); return y }";
  spec.check = false;
  const auto executed = engine::execute_subject(*engine_, spec, {});
  ASSERT_FALSE(executed.ok());
  EXPECT_EQ(executed.error().code, ErrorCode::kOutOfMemory) << executed.error().message;
  EXPECT_THAT(executed.error().message, HasSubstr("needs about 12.0 TiB of this host's memory, but "));
  EXPECT_THAT(executed.error().message, HasSubstr("; no other device here would do"));
}

TEST_F(Execution, AStopEndsALaunchThatHangs) {
  ExecuteSpec spec = spec_of("a=0,b=0,fault=hang");
  spec.launch_timeout = {60e9};
  std::stop_source stop;
  const auto start = std::chrono::steady_clock::now();
  const std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    stop.request_stop();
  });
  const auto executed = engine::execute_subject(*engine_, spec, stop.get_token());
  ASSERT_FALSE(executed.ok());
  EXPECT_EQ(executed.error().code, ErrorCode::kCancelled) << executed.error().message;
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST_F(Execution, RunsViewsBetweenPiecesAndSeveralOutputs) {
  ExecuteSpec spec = spec_of("");
  spec.subject =
      "graph(i0: f32[8,16], p0: param f32[16,16]) { v0 = Softmax(i0); v1 = Reshape(v0, shape=[16,8]); v2 = Transpose(v1, "
      "perm=[1,0]);"
      " v3 = MatMul(v2, p0); v4 = Softmax(v3); return v4, v0 }";
  spec.level = "O0";
  const ExecutedSubject done = run(spec);
  EXPECT_TRUE(done.verification && done.verification->passed) << done.verification->detail;
  EXPECT_EQ(done.outputs.size(), 2U);
  EXPECT_GE(done.runs.at(0).uses.size(), 4U);
}

// A chain of three pieces, each with candidates of the test's.
class ExecutorOnNull : public Execution {
 protected:
  void SetUp() override {
    Execution::SetUp();
    engine::WorkerPoolOptions options;
    options.worker_program = FUSELAB_WORKER;
    workers_ = std::make_unique<engine::WorkerPool>(options);
    executor_ = std::make_unique<engine::RuntimeExecutor>(*workers_, engine_->queries(), "O0", Nanoseconds{5e9});
    engine::Subject subject;
    subject.graph = parse_graph("graph(i0: f32[8,16]) { v0 = Softmax(i0); v1 = Relu(v0); v2 = Tanh(v1); return v2 }").value();
    graph_ = engine::execution_graph(engine::cut(std::move(subject), OptimizationLevel::kO0).value()).value();
    const auto report = workers_->probe("null");
    ASSERT_TRUE(report.ok()) << report.error().message;
    for (const DeviceInfo& device : report.value().devices) devices_[device.id] = device;
    input_ = make_input(graph_.whole(), 0, {});
    ASSERT_TRUE(platform::write_passing_file(file_of(graph_.inputs.front()), pack(input_)).ok());
  }
  void TearDown() override {
    executor_.reset();
    workers_.reset();
    Execution::TearDown();
  }
  engine::ExecutionCandidate on(const std::string& id) { return {devices_.at(id), PlanKind::kFused, "", ""}; }
  std::filesystem::path file_of(ValueId value) const { return engine::RuntimeExecutor::tensor_file(folder_, value); }
  void expect_right_output() {
    const Graph& whole = graph_.whole();
    const auto bytes = platform::read_file(file_of(graph_.outputs.front()), {1 << 20});
    ASSERT_TRUE(bytes.ok()) << bytes.error().message;
    const RealTensor output = unpack(whole.type(whole.outputs().front()), bytes.value()).value();
    const auto expected = expected_outputs(whole, std::vector{input_}, 1).value();
    EXPECT_TRUE(compare_outputs(whole, expected, std::vector{output}).passed);
  }

  engine::ExecutionGraph graph_;
  std::map<std::string, DeviceInfo> devices_;
  RealTensor input_;
  std::unique_ptr<engine::WorkerPool> workers_;
  std::unique_ptr<engine::RuntimeExecutor> executor_;
};

TEST_F(ExecutorOnNull, HandsTensorsOverFromDeviceToDevice) {
  const auto done = executor_->run(graph_, {{on("null:0")}, {on("null:1")}, {on("null:0")}}, folder_, {});
  ASSERT_TRUE(done.ok()) << done.error().message;
  std::vector<std::string> ran_on;
  for (const engine::ExecutionMetrics& stage : done.value().stages) {
    ran_on.push_back(stage.device_id);
    EXPECT_GT(stage.transfer.count, 0) << "its tensors came from the host and went back";
  }
  EXPECT_THAT(ran_on, testing::ElementsAre("null:0", "null:1", "null:0"));
  expect_right_output();
}

TEST_F(ExecutorOnNull, NeighboursOnOneDeviceAreOneStage) {
  const auto done = executor_->run(graph_, {{on("null:0")}, {on("null:0")}, {on("null:1")}}, folder_, {});
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(done.value().stages.size(), 2U);
  EXPECT_EQ(done.value().uses.size(), 3U);
  expect_right_output();
}

TEST_F(ExecutorOnNull, MakesNothingForACandidateThatIsNotNeeded) {
  engine::ExecutionCandidate nowhere = on("null:1");
  nowhere.configs = "no such configuration";
  nowhere.device.id = "null:99";
  const auto done =
      executor_->run(graph_, {{on("null:0"), nowhere}, {on("null:0"), nowhere}, {on("null:0"), nowhere}}, folder_, {});
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_TRUE(done.value().degradations.empty());
  const auto needed = executor_->run(graph_, {{nowhere}, {on("null:0")}, {on("null:0")}}, folder_, {});
  EXPECT_FALSE(needed.ok()) << "where it is needed it fails";
}

TEST_F(ExecutorOnNull, APlanThatIsNotAcceptedIsNoFailedExecution) {
  engine::ExecutionCandidate losing = on("null:1");
  losing.configs = "a=0,b=0,nan=lost";
  const auto done = executor_->run(graph_, {{losing, on("null:0")}, {on("null:0")}, {on("null:0")}}, folder_, {});
  ASSERT_TRUE(done.ok()) << done.error().message;
  ASSERT_EQ(done.value().degradations.size(), 1U);
  EXPECT_EQ(executor_->counts().at("null").failures, 0);
  EXPECT_EQ(executor_->counts().at("null").left, 1);
  expect_right_output();
}

// What hands tensors over is measured, there and back, on each device that can.
TEST_F(ExecutorOnNull, MeasuresWhatHandingOverCosts) {
  DeviceInfo nowhere = devices_.at("null:0");
  nowhere.id = "null:99";
  const auto costs = engine::measure_hand_over(*workers_, {devices_.at("null:0"), nowhere}, folder_, {});
  ASSERT_EQ(costs.size(), 1U);
  EXPECT_GT(costs.at("null:0").ns({4 << 20}), costs.at("null:0").ns({0}));
}

}  // namespace
}  // namespace fuselab
