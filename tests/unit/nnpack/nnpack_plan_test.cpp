// SPDX-License-Identifier: Apache-2.0
// What NNPACK is given, and what comes out of it. The library is a fake.
#include <gtest/gtest.h>

#include "backends/library/plan_text.h"
#include "backends/nnpack/nnpack_library.h"
#include "core/graph/graph_text.h"
#include "core/reference/reference.h"
#include "core/reference/tolerance.h"

namespace fuselab::nnpack {
namespace {

class NnpackPlans : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = NnpackLibrary::open(loading::Surroundings{FAKE_TORCH_GOOD, {}});
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    library_ = std::move(opened).value();
  }

  // Runs the plan on seeded inputs: "" when the result is the reference's.
  std::string result_of(const std::string& text, const char* config = "") {
    const Graph graph = parse_graph(text).value();
    auto built = library_->build(plan_for(library_->facts(), LaunchConfig::parse(config).value(), graph, {}));
    if (!built.ok()) return built.error().message;
    const std::vector<RealTensor> inputs = make_inputs(graph, {});
    std::vector<std::vector<std::byte>> memory;
    for (const RealTensor& each : inputs) memory.push_back(pack(each));
    const TensorType type = graph.type(graph.outputs().front());
    memory.emplace_back(static_cast<std::size_t>(size_of(type).value().count), std::byte{0xff});
    library::Places places;
    for (auto& each : memory) places.addresses.push_back(each.data());
    places.versions.assign(memory.size(), 1);
    const auto bound = built.value()->bind(places);
    if (const Status ran = bound.value()->run(); !ran.ok()) return ran.error().message;
    const std::vector<RealTensor> outputs = {unpack(type, memory.back()).value()};
    const auto verification = compare_outputs(graph, expected_outputs(graph, inputs, 1).value(), outputs);
    return verification.passed ? "" : verification.detail;
  }

  std::string why_not(const char* text) {
    const auto outline = library_->outline(parse_graph(text).value());
    return outline.ok() ? "" : outline.error().message;
  }

  std::shared_ptr<NnpackLibrary> library_;
};

TEST_F(NnpackPlans, ConvolveImageByImageAndGroupByGroup) {
  EXPECT_EQ(library_->facts().version, "of-pytorch-2.15.0");
  for (const char* const begin : {"graph(x: f32[1,4,9,11], w: param f32[6,4,3,3]) { v = Conv(x, w, "
                                  "pads=[1,1,1,1]); ",
                                  "graph(x: f32[2,4,9,11], w: param f32[6,2,3,3], b: param f32[6]) { v = "
                                  "Conv(x, w, b, group=2, pads=[1,0,0,2]); ",
                                  "graph(x: f32[3,4,9,11], w: param f32[6,4,3,2], b: param f32[6]) { v = "
                                  "Conv(x, w, b, strides=[2,1]); "}) {
    EXPECT_EQ(result_of(std::string(begin) + "return v }"), "") << begin;
    EXPECT_EQ(result_of(std::string(begin) + "r = Relu(v); return r }", "nan=lost"), "") << begin;
  }
}

TEST_F(NnpackPlans, OfferAlgorithmsByTransformsWhichSayThatTheyAre) {
  const std::string text =
      "graph(x: f32[1,4,9,11], w: param f32[6,4,3,3]) { v "
      "= Conv(x, w, pads=[1,1,1,1]); return v }";
  const auto outline = library_->outline(parse_graph(text).value());
  ASSERT_TRUE(outline.ok()) << outline.error().message;
  ASSERT_EQ(outline.value().parameters.size(), 2U);
  EXPECT_EQ(outline.value().parameters[1].values.size(), 5U);
  EXPECT_EQ(outline.value().constraints.size(), 1U);
  EXPECT_EQ(result_of(text, "algorithm=3,winograd=1"), "");
  EXPECT_NE(result_of(text, "algorithm=3,winograd=0").find("does not say winograd=1"), std::string::npos);
  EXPECT_NE(result_of(text, "algorithm=2,winograd=1").find("status 26"), std::string::npos);
  const auto strided = library_->outline(parse_graph("graph(x: f32[1,4,9,9], w: param f32[6,4,3,3]) { v = Conv(x, "
                                                     "w, strides=[2,2]); return v }")
                                             .value());
  EXPECT_EQ(strided.value().parameters.size(), 1U) << "transforms take no strides";
}

TEST_F(NnpackPlans, RefuseWhatIsNoSuchConvolution) {
  EXPECT_NE(why_not("graph(x: f32[6]) { v = Relu(x); return v }").find("alone or with a Relu"), std::string::npos);
  EXPECT_NE(why_not("graph(x: f32[1,4,9], w: param f32[6,4,3]) { v = Conv(x, "
                    "w); return v }")
                .find("two axes"),
            std::string::npos);
  EXPECT_NE(why_not("graph(x: f32[1,4,9,9], w: param f32[6,4,3,3]) { v = "
                    "Conv(x, w, dilations=[2,2]); return v }")
                .find("no gaps"),
            std::string::npos);
  EXPECT_NE(why_not("graph(x: f32[1,4,9,9], w: param f32[6,4,3,3]) { v = "
                    "Conv(x, w); r = Relu(v); return r, v }")
                .find("the end"),
            std::string::npos);
  EXPECT_NE(why_not("graph(x: bf16[1,4,9,9], w: param bf16[6,4,3,3]) { v = "
                    "Conv(x, w); return v }")
                .find("not bf16"),
            std::string::npos);
}

TEST(NnpackLibrary, SaysInOneLineWhyNot) {
  const auto opened = NnpackLibrary::open(loading::Surroundings{FAKE_TORCH_PARTIAL, {}});
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().message.find("it computes with AVX2 alone"), std::string::npos) << opened.error().message;
}

}  // namespace
}  // namespace fuselab::nnpack
