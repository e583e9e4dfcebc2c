// SPDX-License-Identifier: Apache-2.0
// Production execution on numbers that are given: for all runs, for each, or fed back from one run to the next.
#include <gmock/gmock.h>

#include <cmath>

#include "app/engine/execute/execute_subject.h"
#include "core/platform/files/atomic_file.h"
#include "core/tensor/npy.h"
#include "tests/faults/support/engine_fixture.h"

namespace fuselab {
namespace {

using engine::ExecutedSubject;
using engine::ExecuteSpec;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kSum = "graph(i0: f32[8,16], p0: param f32[16]) { v0 = Add(i0, p0); v1 = Relu(v0); return v1 }";

// Tensors that are given are those that the pieces read, and outputs are held against others that are given.
class GivenNumbers : public EngineTest {
 protected:
  static ExecuteSpec spec_of(const std::string& subject) {
    ExecuteSpec spec;
    spec.subject = subject;
    spec.devices.only = {"null:1"};
    spec.check = true;
    return spec;
  }
  ExecutedSubject run(const ExecuteSpec& spec) {
    auto executed = engine::execute_subject(*engine_, spec, {});
    EXPECT_TRUE(executed.ok()) << executed.error().message;
    return executed.ok() ? std::move(executed).value().front() : ExecutedSubject();
  }
  std::string why_not(const ExecuteSpec& spec) {
    const auto executed = engine::execute_subject(*engine_, spec, {});
    return executed.ok() ? "it ran" : executed.error().message;
  }
  std::filesystem::path save(const std::string& name, const RealTensor& tensor) const {
    const auto file = write_npy(tensor.type, pack(tensor));
    EXPECT_TRUE(file.ok());
    const std::filesystem::path path = folder_ / name;
    EXPECT_TRUE(platform::write_file_atomically(path, file.value()).ok());
    return path;
  }
  static RealTensor filled(const TensorType& type, double number) {
    return {type, std::vector<double>(static_cast<std::size_t>(element_count(type.shape).value()), number)};
  }
};

TEST_F(GivenNumbers, BindTheExtentsThatTheirInputsLeaveOpen) {
  ExecuteSpec spec = spec_of("graph(a: f32[n,4], b: f32[n,4]) { y = Add(a, b); return y }");
  EXPECT_NE(why_not(spec).find("the shape needs a value for n"), std::string::npos) << why_not(spec);
  spec.given.inputs["a"] = {save("a.npy", filled({DType::kF32, {3, 4}}, 1))};
  spec.given.inputs["b"] = {save("b.npy", filled({DType::kF32, {3, 4}}, 2))};
  const ExecutedSubject done = run(spec);
  EXPECT_EQ(done.binding, "n=3");
  ASSERT_EQ(done.outputs.size(), 1U);
  EXPECT_EQ(type_text(done.outputs[0].type), "f32[3,4]");
  spec.given.inputs["b"] = {save("c.npy", filled({DType::kF32, {5, 4}}, 2))};
  EXPECT_NE(why_not(spec).find("'n' is 3 in "), std::string::npos) << why_not(spec);
  spec.binding = "n=7";
  EXPECT_NE(why_not(spec).find("f32[7,4]"), std::string::npos) << "what the shape says stays: " << why_not(spec);
}

TEST_F(GivenNumbers, AreWhatIsComputedWithAndHeldAgainst) {
  ExecuteSpec spec = spec_of(kSum);
  const TensorType type{DType::kF32, {8, 16}};
  spec.given.inputs["i0"] = {save("i0.npy", filled(type, 2.5))};
  spec.given.values["p0"] = -1;
  spec.given.expect["v1"] = {save("right.npy", filled(type, 1.5))};
  spec.output_directory = folder_ / "out";
  ExecutedSubject done = run(spec);
  EXPECT_EQ(done.given, 2);
  EXPECT_EQ(done.from_seed, 0);
  EXPECT_TRUE(done.verification && done.verification->passed) << "the reference computes with them as well";
  ASSERT_EQ(done.expectations.size(), 1U);
  EXPECT_TRUE(done.expectations[0].met());
  ASSERT_EQ(done.outputs.size(), 1U);
  EXPECT_EQ(done.outputs[0].maximum, 1.5);
  const auto saved = platform::read_file(spec.output_directory / "v1.npy", {1 << 20});
  ASSERT_TRUE(saved.ok()) << saved.error().message;
  EXPECT_EQ(read_npy(saved.value()).value().bytes, pack(filled(type, 1.5)));

  spec.given.expect["v1"] = {save("wrong.npy", filled(type, 1.501))};
  done = run(spec);
  ASSERT_EQ(done.expectations.size(), 1U);
  EXPECT_FALSE(done.expectations[0].met());
  EXPECT_NEAR(done.expectations[0].largest_error, 0.001, 1e-6);
}

TEST_F(GivenNumbers, ThatDoNotFitAreNamedWithBothTypes) {
  ExecuteSpec spec = spec_of(kSum);
  spec.given.inputs["i0"] = {save("long.npy", filled({DType::kF32, {8, 15}}, 1))};
  EXPECT_THAT(why_not(spec), AllOf(HasSubstr("input 'i0'"), HasSubstr("f32[8,15]"), HasSubstr("f32[8,16]")));
  spec.given.inputs["i0"] = {save("double.npy", filled({DType::kF64, {8, 16}}, 1))};
  EXPECT_THAT(why_not(spec), HasSubstr("f64[8,16]"));
  spec.given.inputs["i0"] = {folder_ / "none.npy"};
  EXPECT_THAT(why_not(spec), HasSubstr("none.npy"));
  spec.given.inputs = {{"x", {folder_ / "long.npy"}}};
  EXPECT_THAT(why_not(spec), AllOf(HasSubstr("'x' is no input"), HasSubstr("i0 (f32[8,16])")));
  spec.given.inputs.clear();
  spec.given.expect["y"] = {folder_ / "long.npy"};
  EXPECT_THAT(why_not(spec), AllOf(HasSubstr("'y' is no output"), HasSubstr("v1 (f32[8,16])")));
}

constexpr const char* kLookUp = "graph(i: i64[4], w: param f32[3,2]) { y = Gather(w, i); return y }";

TEST_F(GivenNumbers, ThatAreIndicesOutOfRangeAreNamedBeforeAnythingRuns) {
  ExecuteSpec spec = spec_of(kLookUp);
  spec.output_directory = folder_ / "out";
  spec.given.inputs["i"] = {save("wrong.npy", {{DType::kI64, {4}}, {0, 3, -4, 2}})};
  EXPECT_THAT(why_not(spec), HasSubstr("input 'i': index 3 at [1] is out of range: Gather reads one of 3 entries, -3 to 2; "
                                       "2 of its 4 numbers are out of range"));
  EXPECT_FALSE(std::filesystem::exists(spec.output_directory)) << "nothing is saved";
  spec.given.inputs["i"] = {save("each.npy", {{DType::kI64, {2, 4}}, {0, 1, 2, 0, 0, 1, 1000, 0}})};
  spec.times = 2;
  EXPECT_THAT(why_not(spec), HasSubstr("index 1000 at [2]"));
  EXPECT_FALSE(std::filesystem::exists(spec.output_directory)) << "not of the first run either";
  spec.given.inputs.clear();
  spec.given.values["i"] = -5;
  EXPECT_THAT(why_not(spec), HasSubstr("index -5 at [0]"));
  spec.given.values["i"] = -3;
  EXPECT_EQ(run(spec).outputs.size(), 1U);
}

TEST_F(GivenNumbers, ThatAreZerosAndDivideWholeNumbersAreNamedBeforeAnythingRuns) {
  ExecuteSpec spec = spec_of("graph(x: i64[2,2], z: i64[2,2]) { y = Div(x, z); return y }");
  spec.given.values["x"] = 7;
  spec.given.inputs["z"] = {save("zero.npy", {{DType::kI64, {2, 2}}, {1, 2, 0, 3}})};
  EXPECT_THAT(why_not(spec), HasSubstr("input 'z': 0 at [1,0] divides whole numbers, and Div has no result then; 1 of its 4 "
                                       "numbers is 0: nothing was run"));
  spec = spec_of("graph(x: f32[2], z: f32[2]) { y = Div(x, z); return y }");
  spec.given.values["z"] = 0;
  EXPECT_EQ(run(spec).outputs.size(), 1U) << "of real numbers it is infinite";
}

// next = state / 2 + x, y = next²: what a run gives depends on all before it.
constexpr const char* kDecay =
    "graph(x: f32[1,4], state: f32[1,4], half: f32[1]) { h = Mul(state, half); next = Add(h, x); y = Mul(next, next); return y, "
    "next }";
constexpr int kRuns = 3;

class FedBack : public GivenNumbers {
 protected:
  void SetUp() override {
    GivenNumbers::SetUp();
    for (int run = 0; run < kRuns; ++run) {
      for (int i = 0; i < 4; ++i) {
        x_.push_back(run - 0.25 * i);
        const double before = run == 0 ? kFirst : next_[next_.size() - 4];
        next_.push_back(before / 2 + x_.back());
        y_.push_back(next_.back() * next_.back());
      }
    }
  }
  ExecuteSpec decay() const {
    ExecuteSpec spec = spec_of(kDecay);
    spec.times = kRuns;
    spec.given.values = {{"half", 0.5}, {"state", kFirst}};
    spec.given.feedback = {{"state", "next"}};
    return spec;
  }
  static RealTensor one_run(const std::vector<double>& all, int run) {
    return {{DType::kF32, {1, 4}}, {all.begin() + 4 * run, all.begin() + 4 * (run + 1)}};
  }
  static constexpr double kFirst = 8;
  std::vector<double> x_, next_, y_;
};

TEST_F(FedBack, EachRunTakesTheStateOfTheOneBeforeAndItsOwnInput) {
  // The first axis of what is given for each run is one of its own, or the input's.
  for (const Shape& together : {Shape{kRuns, 1, 4}, Shape{kRuns, 4}}) {
    ExecuteSpec spec = decay();
    spec.given.inputs["x"] = {save("x.npy", {{DType::kF32, together}, x_})};
    spec.given.expect["y"] = {save("y.npy", {{DType::kF32, together}, y_})};
    spec.given.expect["next"] = {save("last.npy", one_run(next_, kRuns - 1))};
    const ExecutedSubject done = run(spec);
    ASSERT_EQ(done.expectations.size(), 4U);
    std::vector<int> runs;
    for (const engine::Expectation& each : done.expectations) {
      EXPECT_TRUE(each.met()) << each.output << " of run " << each.run << ": " << each.largest_error;
      runs.push_back(each.run);
    }
    EXPECT_THAT(runs, testing::ElementsAre(1, 2, 3, 3)) << "what is expected once is so of the last run";
    EXPECT_TRUE(done.verification && done.verification->passed);
    EXPECT_EQ(done.verification->checked, 2 * 4 * kRuns) << "each run is checked";
    ASSERT_EQ(done.steps.size(), 3U);
    EXPECT_EQ(done.steps[0].outputs.at(1).maximum, next_[0]);
    EXPECT_EQ(done.steps[2].outputs.at(1).hash, done.outputs.at(1).hash);
  }
}

TEST_F(FedBack, OneFileForEachRunIsReadAndWritten) {
  ExecuteSpec spec = decay();
  for (int run = 0; run < kRuns; ++run)
    spec.given.inputs["x"].push_back(save("x" + std::to_string(run) + ".npy", one_run(x_, run)));
  spec.output_directory = folder_ / "out";
  ASSERT_EQ(run(spec).steps.size(), 3U);
  for (int run = 0; run < kRuns; ++run)
    spec.given.expect["y"].push_back(spec.output_directory / ("run-" + std::to_string(run + 1)) / "y.npy");
  const auto saved = platform::read_file(spec.given.expect["y"].back(), {1 << 20});
  ASSERT_TRUE(saved.ok()) << saved.error().message;
  EXPECT_EQ(read_npy(saved.value()).value().bytes, pack(one_run(y_, 2)));
  const ExecutedSubject again = run(spec);
  ASSERT_EQ(again.expectations.size(), 3U);
  for (const engine::Expectation& each : again.expectations) EXPECT_EQ(each.largest_error, 0) << each.run;
}

TEST_F(FedBack, AStateThatIsNotGivenIsZeroAtFirst) {
  ExecuteSpec spec = decay();
  spec.given.values = {{"half", 0.5}, {"x", 1}};
  const ExecutedSubject done = run(spec);
  ASSERT_EQ(done.steps.size(), 3U);
  EXPECT_EQ(done.steps[0].outputs.at(1).maximum, 1);
  EXPECT_EQ(done.steps[2].outputs.at(1).maximum, 1.75);
  EXPECT_EQ(done.from_seed, 0);
}

// A model is folded by the values that hold in every run alone.
TEST_F(FedBack, WhatAStateIsAtFirstIsNotKnownOfLaterRuns) {
  engine::GivenTensors given;
  given.values = {{"rate", 16000}, {"state", 1}};
  given.feedback = {{"state", "next"}};
  EXPECT_EQ(given.lasting_values(), (InputNumbers{{"rate", 16000}}));
}

TEST_F(FedBack, StatesThatChangePlacesAreTakenAtTheSameTime) {
  ExecuteSpec spec = spec_of(
      "graph(a: f32[4], b: f32[4]) { s = Add(a, b); u = Reshape(a, shape=[4]); v = Reshape(b, shape=[4]); return s, u, v }");
  spec.times = 2;
  spec.given.values = {{"a", 1}, {"b", 2}};
  spec.given.feedback = {{"a", "v"}, {"b", "u"}};
  const ExecutedSubject done = run(spec);
  ASSERT_EQ(done.steps.size(), 2U);
  EXPECT_EQ(done.steps[1].outputs.at(1).maximum, 2);
  EXPECT_EQ(done.steps[1].outputs.at(2).maximum, 1);
}

TEST_F(FedBack, WhatCannotBeFedIsNamed) {
  const auto refused = [&](const std::string& input, const std::string& output, int times = kRuns) {
    ExecuteSpec spec = decay();
    spec.times = times;
    spec.given.feedback = {{input, output}};
    return why_not(spec);
  };
  EXPECT_THAT(refused("stat", "next"), AllOf(HasSubstr("--feedback: 'stat' is no input"), HasSubstr("state (f32[1,4])")));
  EXPECT_THAT(refused("state", "nex"), AllOf(HasSubstr("--feedback: 'nex' is no output"), HasSubstr("next (f32[1,4])")));
  EXPECT_THAT(refused("half", "next"), AllOf(HasSubstr("input 'half' is f32[1]"), HasSubstr("output 'next' is f32[1,4]")));
  EXPECT_THAT(refused("state", "next", 1), HasSubstr("--times"));
  ExecuteSpec spec = decay();
  spec.given.values.erase("state");
  spec.given.inputs["state"] = {save("states.npy", {{DType::kF32, {kRuns, 4}}, x_})};
  EXPECT_THAT(why_not(spec), HasSubstr("'state' is fed back, and --input gives it for each run"));
}

TEST_F(FedBack, AsManyTensorsAsRunsAreWanted) {
  ExecuteSpec spec = decay();
  spec.given.inputs["x"] = {save("a.npy", one_run(x_, 0)), save("b.npy", one_run(x_, 1))};
  EXPECT_THAT(why_not(spec), AllOf(HasSubstr("'x' has 2 files"), HasSubstr("3 runs")));
  spec.given.inputs["x"] = {save("two.npy", {{DType::kF32, {2, 1, 4}}, {x_.begin(), x_.begin() + 8}})};
  EXPECT_THAT(why_not(spec), AllOf(HasSubstr("f32[2,1,4]"), HasSubstr("f32[1,4], or f32[3,1,4] for all runs")));
  spec.given.feedback.clear();
  spec.times = 1;
  spec.given.inputs["x"] = {save("three.npy", {{DType::kF32, {3, 4}}, x_})};
  EXPECT_THAT(why_not(spec), AllOf(HasSubstr("holds f32[3,4], and it is f32[1,4]"), Not(HasSubstr("for all runs"))));
}

// They are wrong before the devices are, which are looked for before anything is compiled.
TEST_F(FedBack, FilesAreReadBeforeAnythingIsMade) {
  ExecuteSpec spec = decay();
  spec.given.expect["y"] = {folder_ / "none.npy"};
  spec.devices.only = {"no such device"};
  EXPECT_THAT(why_not(spec), AllOf(HasSubstr("output 'y'"), HasSubstr("none.npy")));
}

}  // namespace
}  // namespace fuselab
