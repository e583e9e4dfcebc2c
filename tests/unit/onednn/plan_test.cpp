// SPDX-License-Identifier: Apache-2.0
// What is stored of a kernel that the library provides, and what becomes of it when the library is another one or fails. The
// library is a fake of either major.
#include <gtest/gtest.h>

#include <set>

#include "backends/library/plan_text.h"
#include "backends/onednn/lowering.h"
#include "backends/onednn/onednn_graphs.h"
#include "core/graph/graph_text.h"
#include "core/reference/reference.h"
#include "core/reference/tolerance.h"

namespace fuselab::onednn {
namespace {

constexpr const char* kLinear =
    "graph(x: f32[6,8], w: param f32[8,5], b: param f32[5], e: f32[6,5]) "
    "{ p = MatMul(x, w); s = Add(p, b); r = LeakyRelu(s, alpha=0.25); t = Add(r, e); return t }";

class OneDnnPlan : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    auto opened = OneDnnGraphs::open(loading::Surroundings{GetParam(), {}});
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    library_ = std::move(opened).value();
  }

  // The plan as it is stored, read again.
  Result<library::PlanText> plan_of(const std::string& text, const LaunchConfig& config) {
    FL_TRY(const Graph graph, parse_graph(text));
    FL_TRY(const library::PlanOutline outline, library_->outline(graph));
    library::PlanText plan = library::plan_for(library_->facts(), config, graph, outline.steps, outline.program);
    FL_TRY(plan.program, library_->compile(plan));
    return library::read_plan(library::write_plan(plan), library_->facts());
  }

  // Runs it on seeded inputs: "" when the result is the reference's.
  std::string run(library::HostPlan& built, const Graph& graph) {
    const std::vector<RealTensor> inputs = make_inputs(graph, {});
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (memory_.size() <= i) memory_.emplace_back();
      memory_[i] = pack(inputs[i]);
    }
    const TensorType& type = graph.type(graph.outputs()[0]);
    memory_.resize(inputs.size() + 1);
    memory_.back().assign(static_cast<std::size_t>(size_of(type).value().count), std::byte{0xff});
    const auto bound = built.bind(places(1));
    if (!bound.ok()) return bound.error().message;
    if (const Status ran = bound.value()->run(); !ran.ok()) return ran.error().message;
    const std::vector<RealTensor> outputs = {unpack(type, memory_.back()).value()};
    const auto verification = compare_outputs(graph, expected_outputs(graph, inputs, 1).value(), outputs);
    return verification.passed ? "" : verification.detail;
  }

  // The memory of what ran last, written from outside so often.
  library::Places places(std::uint64_t version) {
    library::Places made;
    for (auto& each : memory_) made.addresses.push_back(each.data());
    made.versions.assign(made.addresses.size(), version);
    return made;
  }

  std::shared_ptr<library::HostLibrary> library_;
  std::vector<std::vector<std::byte>> memory_;
};

INSTANTIATE_TEST_SUITE_P(Majors, OneDnnPlan, testing::Values(FAKE_ONEDNN_2, FAKE_ONEDNN_3),
                         [](const auto& given) { return given.index == 0 ? "Two" : "Three"; });

TEST_P(OneDnnPlan, ComputesWhatItsGraphSaysInOnePrimitive) {
  for (const char* config : {"threads=1,weights=plain", "threads=1,weights=packed"}) {
    const auto plan = plan_of(kLinear, LaunchConfig::parse(config).value());
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    EXPECT_EQ(plan.value().program, "fake:plain\n") << "bias, LeakyRelu and the second Add are post-ops";
    const auto built = library_->build(plan.value());
    ASSERT_TRUE(built.ok()) << built.error().message;
    EXPECT_EQ(run(*built.value(), plan.value().graph), "") << config;
    const bool packed = built.value()->remarks().find("ahead of time") != std::string::npos;
    EXPECT_EQ(packed, std::string(config).find("packed") != std::string::npos);
  }
}

TEST_P(OneDnnPlan, TakesItsInputsInTheOrderOfTheGraph) {
  const auto plan = plan_of("graph(w: param f32[8,8], unused: f32[3], x: f32[8,8]) { p = MatMul(x, w); return p }", {});
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  const auto built = library_->build(plan.value());
  ASSERT_TRUE(built.ok()) << built.error().message;
  EXPECT_EQ(run(*built.value(), plan.value().graph), "");
}

TEST_P(OneDnnPlan, PacksWeightsAnewWhenTheyChanged) {
  const auto plan = plan_of(kLinear, LaunchConfig::parse("threads=1,weights=packed").value());
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  const auto built = library_->build(plan.value());
  ASSERT_TRUE(built.ok()) << built.error().message;
  const Graph& graph = plan.value().graph;
  EXPECT_EQ(run(*built.value(), graph), "");
  std::fill(memory_[1].begin(), memory_[1].end(), std::byte{0});  // the weights
  const auto before = memory_.back();
  const auto unsaid = built.value()->bind(places(1));
  ASSERT_TRUE(unsaid.ok() && unsaid.value()->run().ok());
  EXPECT_EQ(memory_.back(), before) << "nobody said that they were written";
  const auto said = built.value()->bind(places(2));
  ASSERT_TRUE(said.ok() && said.value()->run().ok());
  EXPECT_NE(memory_.back(), before);
}

TEST_P(OneDnnPlan, IsBoundToSeveralPlacesAtATime) {
  for (const char* config : {"threads=1,weights=plain", "threads=1,weights=packed"}) {
    const auto plan = plan_of(kLinear, LaunchConfig::parse(config).value());
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    const auto built = library_->build(plan.value());
    ASSERT_TRUE(built.ok()) << built.error().message;
    ASSERT_EQ(run(*built.value(), plan.value().graph), "") << config;
    const auto right = memory_.back();
    const auto first = built.value()->bind(places(1));
    ASSERT_TRUE(first.ok());
    auto others = memory_;
    for (auto& each : others) std::fill(each.begin(), each.end(), std::byte{0});
    library::Places elsewhere = places(1);
    for (std::size_t i = 0; i < others.size(); ++i) elsewhere.addresses[i] = others[i].data();
    const auto second = built.value()->bind(elsewhere);
    ASSERT_TRUE(second.ok());
    for (int times = 0; times < 2; ++times) {
      std::fill(memory_.back().begin(), memory_.back().end(), std::byte{0xff});
      std::fill(others.back().begin(), others.back().end(), std::byte{0xff});
      ASSERT_TRUE(first.value()->run().ok() && second.value()->run().ok());
      EXPECT_EQ(memory_.back(), right) << config;
      EXPECT_EQ(others.back(), std::vector<std::byte>(others.back().size())) << config << ": zeros give zeros";
    }
  }
}

TEST_P(OneDnnPlan, SaysTheSlowPathAndWhatIsNotImplemented) {
  const auto slow = plan_of("graph(x: f32[3,13], w: f32[13,4]) { p = MatMul(x, w); return p }", {});
  ASSERT_TRUE(slow.ok()) << slow.error().message;
  const auto built = library_->build(slow.value());
  ASSERT_TRUE(built.ok()) << built.error().message;
  EXPECT_NE(built.value()->remarks().find("slow reference path (ref:any) for MatMul"), std::string::npos);
  const auto none = plan_of("graph(x: f32[3,5], w: f32[5,4]) { p = MatMul(x, w); return p }", {});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(none.error().message.find("dnnl_unimplemented"), std::string::npos) << none.error().message;
  const auto broken = plan_of("graph(x: f32[3,17], w: f32[17,4]) { p = MatMul(x, w); return p }", {});
  ASSERT_TRUE(broken.ok());
  const auto failing = library_->build(broken.value());
  ASSERT_TRUE(failing.ok());
  EXPECT_EQ(run(*failing.value(), broken.value().graph), "matmul: dnnl_runtime_error");
}

TEST_P(OneDnnPlan, RefusesWhatTheLibraryComputesWrong) {
  const auto chain = [this](const char* second) {
    const std::string text =
        "graph(x: f32[3,4], w: f32[4,4]) { p = MatMul(x, w); r = LeakyRelu(p, alpha=0.25); t = LeakyRelu(r, alpha=" +
        std::string(second) + "); return t }";
    return plan_of(text, {});
  };
  const auto alike = chain("0.25");
  ASSERT_TRUE(alike.ok()) << alike.error().message;
  EXPECT_EQ(alike.value().program, "fake:plain\n");
  EXPECT_FALSE(chain("0.5").ok()) << "would be a post-op, and this library has no other way";
}

TEST(OneDnnClaims, LetNoTwoPostOpsOfOneAlgorithmDiffer) {
  PrimitiveSpec spec;
  spec.post_ops = {{Algorithm::kLinear, 0.5F, 0, {}}, {Algorithm::kAdd, 0, 0, Operand{}}, {Algorithm::kTanh, 0, 0, {}}};
  EXPECT_TRUE(computes_as_said(spec).yes);
  spec.post_ops.push_back({Algorithm::kLinear, 0.5F, 0, {}});
  EXPECT_TRUE(computes_as_said(spec).yes);
  spec.post_ops.push_back({Algorithm::kLinear, -1, 0, {}});
  EXPECT_NE(computes_as_said(spec).why_not.find("the factors of the first linear"), std::string::npos);
}

TEST_P(OneDnnPlan, RefusesAPlanOfAnotherLibraryOrImplementation) {
  const auto plan = plan_of(kLinear, {});
  ASSERT_TRUE(plan.ok());
  library::PlanText other = plan.value();
  other.version = "1.0.0";
  EXPECT_EQ(library::read_plan(library::write_plan(other), library_->facts()).error().code, ErrorCode::kUnsupported);
  other = plan.value();
  other.program = "brg:avx999\n";
  const auto refused = library_->build(other);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("now takes 'fake:plain'"), std::string::npos) << refused.error().message;
  other.program += other.program;
  const auto more = library_->build(other);
  ASSERT_FALSE(more.ok());
  EXPECT_NE(more.error().message.find("the plan has 2 primitives, the library now needs 1"), std::string::npos);
}

}  // namespace
}  // namespace fuselab::onednn
