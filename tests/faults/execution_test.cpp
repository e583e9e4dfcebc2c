// SPDX-License-Identifier: Apache-2.0
// Production execution on a device whose kernels crash, hang, want too much memory or do not compile: the outputs come anyway, from
// the next candidate, and the result says so.
#include <gmock/gmock.h>

#include "app/session/execute/execute_subject.h"
#include "tests/faults/support/session_fixture.h"

namespace fuselab {
namespace {

using session::ExecutedSubject;
using session::ExecuteSpec;
using testing::HasSubstr;

class Execution : public SessionTest {
 protected:
  static ExecuteSpec spec_of(const std::string& config) {
    ExecuteSpec spec;
    spec.subject = "graph(i0: f32[8,16], p0: param f32[16]) { v0 = Add(i0, p0); v1 = Relu(v0); return v1 }";
    spec.devices = {"null:1"};
    spec.config = config;
    spec.check = true;
    spec.launch_timeout = {5e8};
    return spec;
  }
  ExecutedSubject run(const ExecuteSpec& spec) {
    auto executed = session::execute_subject(*session_, spec, {});
    EXPECT_TRUE(executed.ok()) << executed.error().message;
    return executed.ok() ? std::move(executed).value().front() : ExecutedSubject();
  }
  // Ends well elsewhere, with one degradation that says why.
  void expect_degraded(const std::string& fault, const std::string& because) {
    ExecutedSubject const done = run(spec_of("a=0,b=0,fault=" + fault));
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
  ExecutedSubject const done = run(spec_of(""));
  ASSERT_EQ(done.runs.size(), 1U);
  EXPECT_TRUE(done.runs[0].degradations.empty());
  EXPECT_EQ(done.runs[0].uses.at(0).ran_on, "null:1 fused");
  EXPECT_TRUE(done.verification && done.verification->passed);
  EXPECT_GT(done.verification->checked, 0);
  EXPECT_EQ(done.counts.at("null").success_rate(), 1);
}

TEST_F(Execution, GoesOnElsewhereWhenAKernelCrashes) {
  expect_degraded("crash", "killed by signal");
}
TEST_F(Execution, GoesOnElsewhereWhenALaunchHangs) {
  expect_degraded("hang", "lasted longer than");
}
TEST_F(Execution, GoesOnElsewhereWhenThereIsNoMemory) {
  expect_degraded("oom", "memory");
}
TEST_F(Execution, GoesOnElsewhereWhenAKernelDoesNotCompile) {
  expect_degraded("compile-error", "");
}
TEST_F(Execution, GoesOnElsewhereWhenALaunchFails) {
  expect_degraded("launch-error", "");
}

TEST_F(Execution, WithoutFallbackTheErrorNamesAllThatWereTried) {
  ExecuteSpec spec = spec_of("a=0,b=0,fault=crash");
  spec.subject = "graph(i0: f32[8,16]) { v0 = Relu(i0); return v0 }";
  spec.fall_back = false;
  auto const executed = session::execute_subject(*session_, spec, {});
  ASSERT_FALSE(executed.ok());
  EXPECT_THAT(executed.error().message, HasSubstr("could be run nowhere: null:1 single: "));
}

TEST_F(Execution, ASecondRunKeepsItsKernels) {
  ExecuteSpec spec = spec_of("");
  spec.times = 2;
  ExecutedSubject const done = run(spec);
  ASSERT_EQ(done.runs.size(), 2U);
  EXPECT_FALSE(done.runs[0].stages.at(0).cache_hit);
  EXPECT_TRUE(done.runs[1].stages.at(0).cache_hit);
  EXPECT_EQ(done.runs[1].stages.at(0).compilation, Nanoseconds{});
}

TEST_F(Execution, HandsTensorsOverFromDeviceToDevice) {
  ExecuteSpec spec = spec_of("");
  spec.subject =
      "graph(i0: f32[8,16], p0: param f32[16,16]) { v0 = Softmax(i0); v1 = Reshape(v0, shape=[16,8]); v2 = Transpose(v1, "
      "perm=[1,0]);"
      " v3 = MatMul(v2, p0); v4 = Softmax(v3); return v4, v0 }";
  spec.level = "O0";
  ExecutedSubject const done = run(spec);
  EXPECT_TRUE(done.verification && done.verification->passed) << done.verification->detail;
  EXPECT_EQ(done.outputs.size(), 2U);
  EXPECT_GE(done.runs.at(0).uses.size(), 4U);
}

}  // namespace
}  // namespace fuselab
