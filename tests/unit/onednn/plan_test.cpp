// SPDX-License-Identifier: Apache-2.0
// What is stored of a kernel that the library provides, and what becomes of it when the library is another one or fails. The
// library is a fake of either major.
#include <gtest/gtest.h>

#include <set>

#include "backends/onednn/built_plan.h"
#include "backends/onednn/claims.h"
#include "backends/onednn/lowering.h"
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
    auto opened = OneDnnLibrary::open(loading::Surroundings{GetParam(), {}});
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    library_ = std::move(opened).value();
  }

  Result<PlanText> plan_of(const char* text, const LaunchConfig& config) {
    FL_TRY(Graph graph, parse_graph(text));
    FL_TRY(const PrimitivePlan plan, lower(graph, ask(*library_)));
    PlanText made{library_->version(), library_->isa(), config, std::move(graph), {}, {}};
    for (const PrimitiveSpec& spec : plan.primitives) {
      FL_TRY(const DescribedPrimitive described, DescribedPrimitive::describe(*library_, spec, choices_of(config)));
      made.implementations.push_back(described.implementation());
    }
    return made;
  }

  // Runs it on seeded inputs: "" when the result is the reference's.
  std::string run(BuiltPlan& built, const Graph& graph, std::uint64_t version = 1) {
    const std::vector<RealTensor> inputs = make_inputs(graph, {});
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (memory_.size() <= i) memory_.emplace_back();
      memory_[i] = pack(inputs[i]);
    }
    const TensorType& type = graph.type(graph.outputs()[0]);
    memory_.resize(inputs.size() + 1);
    memory_.back().assign(static_cast<std::size_t>(size_of(type).value().count), std::byte{0xff});
    std::vector<std::byte*> addresses;
    for (auto& each : memory_) addresses.push_back(each.data());
    if (const Status bound = built.bind(addresses, std::vector<std::uint64_t>(addresses.size(), version)); !bound.ok()) {
      return bound.error().message;
    }
    if (const Status ran = built.run(); !ran.ok()) return ran.error().message;
    const std::vector<RealTensor> outputs = {unpack(type, memory_.back()).value()};
    const auto verification = compare_outputs(graph, expected_outputs(graph, inputs, 1).value(), outputs);
    return verification.passed ? "" : verification.detail;
  }

  std::shared_ptr<OneDnnLibrary> library_;
  std::vector<std::vector<std::byte>> memory_;
};

INSTANTIATE_TEST_SUITE_P(Majors, OneDnnPlan, testing::Values(FAKE_ONEDNN_2, FAKE_ONEDNN_3),
                         [](const auto& given) { return given.index == 0 ? "Two" : "Three"; });

TEST_P(OneDnnPlan, ComputesWhatItsGraphSaysInOnePrimitive) {
  for (const char* config : {"threads=1,weights=plain", "threads=1,weights=packed"}) {
    const auto plan = plan_of(kLinear, LaunchConfig::parse(config).value());
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    EXPECT_EQ(plan.value().implementations.size(), 1U) << "bias, LeakyRelu and the second Add are post-ops";
    const auto read = read_plan(write_plan(plan.value()));
    ASSERT_TRUE(read.ok()) << read.error().message;
    const auto built = BuiltPlan::build(library_, read.value());
    ASSERT_TRUE(built.ok()) << built.error().message;
    EXPECT_EQ(run(*built.value(), plan.value().graph), "") << config;
    const bool packed = built.value()->remarks().find("ahead of time") != std::string::npos;
    EXPECT_EQ(packed, std::string(config).find("packed") != std::string::npos);
  }
}

TEST_P(OneDnnPlan, TakesItsInputsInTheOrderOfTheGraph) {
  const auto plan = plan_of("graph(w: param f32[8,8], unused: f32[3], x: f32[8,8]) { p = MatMul(x, w); return p }", {});
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  const auto read = read_plan(write_plan(plan.value()));
  ASSERT_TRUE(read.ok()) << read.error().message;
  const auto built = BuiltPlan::build(library_, read.value());
  ASSERT_TRUE(built.ok()) << built.error().message;
  EXPECT_EQ(built.value()->arguments(), 4U);
  EXPECT_EQ(run(*built.value(), plan.value().graph), "");
}

TEST_P(OneDnnPlan, PacksWeightsAnewWhenTheyChanged) {
  const auto plan = plan_of(kLinear, LaunchConfig::parse("threads=1,weights=packed").value());
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  const auto built = BuiltPlan::build(library_, plan.value());
  ASSERT_TRUE(built.ok()) << built.error().message;
  const Graph& graph = plan.value().graph;
  EXPECT_EQ(run(*built.value(), graph, 1), "");
  std::fill(memory_[1].begin(), memory_[1].end(), std::byte{0});  // the weights
  std::vector<std::byte*> addresses;
  for (auto& each : memory_) addresses.push_back(each.data());
  const auto before = memory_.back();
  ASSERT_TRUE(built.value()->bind(addresses, std::vector<std::uint64_t>(addresses.size(), 1)).ok());
  ASSERT_TRUE(built.value()->run().ok());
  EXPECT_EQ(memory_.back(), before) << "nobody said that they were written";
  ASSERT_TRUE(built.value()->bind(addresses, std::vector<std::uint64_t>(addresses.size(), 2)).ok());
  ASSERT_TRUE(built.value()->run().ok());
  EXPECT_NE(memory_.back(), before);
}

TEST_P(OneDnnPlan, SaysTheSlowPathAndWhatIsNotImplemented) {
  const auto slow = plan_of("graph(x: f32[3,13], w: f32[13,4]) { p = MatMul(x, w); return p }", {});
  ASSERT_TRUE(slow.ok()) << slow.error().message;
  const auto built = BuiltPlan::build(library_, slow.value());
  ASSERT_TRUE(built.ok()) << built.error().message;
  EXPECT_NE(built.value()->remarks().find("slow reference path (ref:any) for MatMul"), std::string::npos);
  const auto none = plan_of("graph(x: f32[3,5], w: f32[5,4]) { p = MatMul(x, w); return p }", {});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(none.error().message.find("dnnl_unimplemented"), std::string::npos) << none.error().message;
  const auto broken = plan_of("graph(x: f32[3,17], w: f32[17,4]) { p = MatMul(x, w); return p }", {});
  ASSERT_TRUE(broken.ok());
  const auto failing = BuiltPlan::build(library_, broken.value());
  ASSERT_TRUE(failing.ok());
  EXPECT_EQ(run(*failing.value(), broken.value().graph), "matmul: dnnl_runtime_error");
}

TEST_P(OneDnnPlan, RefusesWhatTheLibraryComputesWrong) {
  const auto chain = [this](const char* second) {
    const std::string text =
        "graph(x: f32[3,4], w: f32[4,4]) { p = MatMul(x, w); r = LeakyRelu(p, alpha=0.25); t = LeakyRelu(r, alpha=" +
        std::string(second) + "); return t }";
    return plan_of(text.c_str(), {});
  };
  const auto alike = chain("0.25");
  ASSERT_TRUE(alike.ok()) << alike.error().message;
  EXPECT_EQ(alike.value().implementations.size(), 1U);
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
  PlanText other = plan.value();
  other.library_version = "1.0.0";
  EXPECT_EQ(BuiltPlan::build(library_, other).error().code, ErrorCode::kUnsupported);
  other = plan.value();
  other.implementations[0] = "brg:avx999";
  const auto refused = BuiltPlan::build(library_, other);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("now takes 'fake:plain'"), std::string::npos) << refused.error().message;
}

TEST(OneDnnPlanText, RefusesWhatIsNoPlan) {
  for (const char* text : {"", "x", "onednn plan 1\n", "onednn plan 1\nlibrary 2.6.3\n", "onednn plan 1\nflavour sweet\n",
                           "onednn plan 1\ngraph nonsense\nimplementation a\n", "onednn plan 2\n"}) {
    EXPECT_FALSE(read_plan(text).ok()) << text;
  }
}

}  // namespace
}  // namespace fuselab::onednn
