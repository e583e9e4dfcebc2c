// SPDX-License-Identifier: Apache-2.0
// MIOpen as a backend, on a stand-in that computes what its descriptors say.
#include "backends/miopen/miopen_backend.h"

#include "tests/unit/amd_libraries/amd_library_fixture.h"

namespace fuselab::amd {
namespace {

using ::testing::HasSubstr;

class Miopen : public AmdLibrary {
 protected:
  static constexpr const char* kConvolution = "graph(x: f32[2,3,7,9], w: f32[4,3,3,3]) { y = Conv(x, w); return y }";
  static constexpr const char* kWhole =
      "graph(x: f32[2,3,7,9], w: f32[4,3,3,3], b: f32[4]) { y = Conv(x, w, b, pads=[1,1,1,1]); v = Relu(y); return v }";
  Miopen() : AmdLibrary("FUSELAB_LIB_MIOPEN", FAKE_MIOPEN, "FUSELAB_FAKE_MIOPEN", make_miopen_backend) {}

  // Compiles with this solution, runs, verifies and times.
  void expect_right_with(const Graph& graph, std::int64_t solution, std::int64_t winograd) {
    SCOPED_TRACE(solution);
    LaunchConfig config = backend_->generator()->default_config(graph, device().target);
    config.set("solution", solution);
    config.set("winograd", winograd);
    EXPECT_TRUE(space(graph).check(config).ok());
    if (runtime_ == nullptr) open();
    const auto kernel = compiled(graph, config);
    ASSERT_TRUE(kernel.ok()) << kernel.error().message;
    const auto run = conformance::KernelRun::create(*runtime_, kernel.value(), graph);
    ASSERT_TRUE(run.ok()) << run.error().message;
    const Status launched = run.value()->launch();
    ASSERT_TRUE(launched.ok()) << launched.error().message;
    EXPECT_TRUE(run.value()->verify().value().passed);
    ASSERT_TRUE(run.value()->time(10).ok());
    EXPECT_TRUE(run.value()->verify().value().passed) << "the recording computes it, too";
  }
};

TEST_F(Miopen, IsADeviceOfItsOwnOnTheSameSilicon) {
  const Availability availability = backend_->probe();
  ASSERT_TRUE(availability.usable) << availability.reason;
  EXPECT_EQ(device().id, "miopen:0");
  EXPECT_EQ(device().target.id, "miopen-3.2.0-gfx942");
}

TEST_F(Miopen, ComputesConvolutionsOfImages) {
  expect_right(kConvolution);
  expect_right("graph(x: f32[2,3,7,9], w: f32[4,3,3,2]) { y = Conv(x, w, pads=[1,0,1,0], strides=[2,1]); return y }");
  expect_right("graph(x: f32[1,6,9,9], w: f32[4,3,3,3]) { y = Conv(x, w, group=2, dilations=[2,1]); return y }");
  expect_right("graph(x: f32[1,6,9,8], w: f32[6,1,3,3]) { y = Conv(x, w, group=6, pads=[1,1,1,1]); return y }");
  expect_right("graph(x: f16[1,3,5,6], w: f16[4,3,1,1]) { y = Conv(x, w); return y }");
  expect_right("graph(x: bf16[1,3,5,6], w: bf16[4,3,2,2]) { y = Conv(x, w); v = Relu(y); return v }");
  expect_right("graph(x: f16[1,3,5,6], w: f16[4,3,2,2], b: f16[4]) { y = Conv(x, w, b); return y }");
}

TEST_F(Miopen, ComputesWhatFollowsInOnePlanOrByCallsOfTheirOwn) {
  for (const char* const end : {"Relu", "Sigmoid", "Tanh"}) {
    const std::string text =
        std::string("graph(x: f32[2,3,7,9], w: f32[4,3,3,3], b: f32[4]) { y = Conv(x, w, b); v = ") + end + "(y); return v }";
    expect_right(text.c_str());
  }
  const Graph graph = testing::graph_from(kWhole);
  const ParameterSpace offered = space(graph);
  EXPECT_EQ(offered.parameters().front().values,
            (std::vector<ParameterValue>{std::int64_t{11}, std::int64_t{33}, std::int64_t{0}, std::int64_t{88}}))
      << "those by transforms, and a plan that may be, stand last";
  expect_right_with(graph, 11, 0);
  expect_right_with(graph, 33, 0);
  expect_right_with(graph, 0, 1);
  expect_right_with(graph, 88, 1);
}

TEST_F(Miopen, SaysWhatIsComputedByTransforms) {
  const Graph graph = testing::graph_from(kConvolution);
  LaunchConfig config = backend_->generator()->default_config(graph, device().target);
  EXPECT_EQ(config.integer("winograd", -1), 0);
  config.set("solution", std::int64_t{88});
  EXPECT_THAT(space(graph).check(config).error().message, HasSubstr("what is computed by transforms says so"));
  const ParameterSpace pointwise =
      space(testing::graph_from("graph(x: f32[1,3,5,6], w: f32[4,3,1,1], b: f32[4]) { y = Conv(x, w, b); return y }"));
  EXPECT_EQ(pointwise.parameters().front().values.front(), ParameterValue(std::int64_t{0})) << "a plan without windows has none";
}

TEST_F(Miopen, OffersNoPlanThatMiopenDoesNotMake) {
  behave("unfused");
  EXPECT_EQ(space(testing::graph_from(kWhole)).parameters().front().values,
            (std::vector<ParameterValue>{std::int64_t{11}, std::int64_t{33}, std::int64_t{88}}));
  expect_right(kWhole);
}

TEST_F(Miopen, SaysInOneLineWhyItDoesNotTakeAPiece) {
  const auto expect_reason = [&](const char* text, const char* reason) { EXPECT_EQ(why_not(text), reason) << text; };
  expect_reason("graph(x: f32[5,7]) { v = Relu(x); return v }",
                "MIOpen is asked for convolutions, and for an activation behind one");
  expect_reason("graph(x: f32[2,3,7], w: f32[4,3,3]) { y = Conv(x, w); return y }", "MIOpen is asked for images, of two axes");
  expect_reason("graph(x: f32[2,3,7,9], w: f32[4,3,3,3]) { y = Conv(x, w, pads=[1,1,0,0]); return y }",
                "MIOpen pads both ends of an axis alike");
  expect_reason("graph(x: f32[2,3,7,9], w: f32[4,3,3,3]) { y = Conv(x, w); v = Exp(y); return v }",
                "Exp: MIOpen is not asked for it behind a convolution");
  expect_reason("graph(x: f64[2,3,7,9], w: f64[4,3,3,3]) { y = Conv(x, w); return y }",
                "MIOpen is asked for f32, f16 and bf16, not f64");
  expect_reason("graph(x: bf16[1,3,5,6], w: bf16[4,3,2,2], b: bf16[4]) { y = Conv(x, w, b); return y }",
                "a bias of 16 bits needs a fusion plan, which MIOpen does not make here");
}

TEST_F(Miopen, FindsASolutionThatComputesSomethingElse) {
  behave("wrong=33");
  const Graph graph = testing::graph_from(kConvolution);
  open();
  const auto run = conformance::KernelRun::create(*runtime_, compiled_with(graph, 33).value(), graph);
  ASSERT_TRUE(run.value()->launch().ok());
  EXPECT_FALSE(run.value()->verify().value().passed);
}

TEST_F(Miopen, TellsMemoryThatIsMissingFromACallThatFails) {
  const Graph graph = testing::graph_from(kConvolution);
  const auto hungry = compiled_with(graph, 33), plain = compiled(graph);
  open();
  use("FUSELAB_FAKE_HIP", "memory=500000");
  EXPECT_EQ(runtime_->load(hungry.value()).error().code, ErrorCode::kOutOfMemory);
  const auto run = conformance::KernelRun::create(*runtime_, plain.value(), graph);
  ASSERT_TRUE(run.ok()) << run.error().message;
  behave("run=5");
  EXPECT_EQ(run.value()->launch().error().message, "miopenConvolutionForwardImmediate: miopenStatusInternalError (5)");
  behave("run=4");
  EXPECT_EQ(run.value()->launch().error().code, ErrorCode::kOutOfMemory);
  behave("other");
  EXPECT_EQ(runtime_->load(plain.value()).error().message, "MIOpen names no solution 11 for this");
}

TEST_F(Miopen, SaysInOneLineWhatIsMissing) {
  behave("none");
  EXPECT_EQ(why_not(kConvolution), "MIOpen has no solution for this on gfx942");
  behave("version=1");
  EXPECT_THAT(why_unusable(), HasSubstr(": it is MIOpen 1.2.0, 2 or newer is needed"));
  behave("create=5");
  EXPECT_THAT(why_unusable(), HasSubstr(": miopenCreateWithStream: miopenStatusInternalError (5)"));
  behave("");
  use("FUSELAB_LIB_MIOPEN", FAKE_MIOPEN_PARTIAL);
  EXPECT_THAT(why_unusable(), HasSubstr(" has no function miopenExecuteFusionPlan: it is too old"));
  use("FUSELAB_LIB_MIOPEN", "/nowhere/libMIOpen.so");
  EXPECT_EQ(why_unusable(), "FUSELAB_LIB_MIOPEN: /nowhere/libMIOpen.so not found");
}

}  // namespace
}  // namespace fuselab::amd
