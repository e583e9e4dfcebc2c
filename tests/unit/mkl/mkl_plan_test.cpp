// SPDX-License-Identifier: Apache-2.0
// How a graph becomes calls of MKL, and what they compute. The library is a fake.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "backends/library/plan_text.h"
#include "backends/mkl/mkl_library.h"
#include "core/graph/graph_text.h"
#include "core/reference/reference.h"
#include "core/reference/tolerance.h"

namespace fuselab::mkl {
namespace {

constexpr const char* kLinear =
    "graph(x: f32[6,8], w: param f32[8,5], b: param f32[5]) { p = MatMul(x, w); s = Add(p, b); r = Relu(s); return r }";

std::vector<std::string> words_of(const char* text) {
  const auto plan = lower(parse_graph(text).value());
  return plan.ok() ? plan.value().words : std::vector<std::string>{plan.error().message};
}

// As quantised models have it, with what makes the operands of 8-bit numbers.
std::string quantised(const char* x, const char* zero, const char* w) {
  const std::string casts = std::string("wide = Cast(x, to=\"i32\"); v = Cast(w, to=\"i32\"); ") +
                            (*zero == '\0' ? "" : "zero = Cast(z, to=\"i32\"); c = Sub(wide, zero); ");
  return std::string("graph(x: ") + x + "[6,9], " + (*zero == '\0' ? "" : std::string("z: ") + zero + ", ") + "w: " + w +
         "[9,5], s: f32[], b: f32[5]) { " + casts + "p = MatMul(" + (*zero == '\0' ? "wide" : "c") +
         ", v); r = Cast(p, to=\"f32\"); m = Mul(r, s); y = Add(m, b); return y }";
}

class MklPlans : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = MklLibrary::open(loading::Surroundings{FAKE_MKL_GOOD, {}});
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    library_ = std::move(opened).value();
  }

  // Binds and runs it on seeded inputs: "" when the results are the reference's.
  std::string run(library::HostPlan& built, const Graph& graph, std::uint64_t version = 1) {
    const std::vector<RealTensor> inputs = make_inputs(graph, {});
    memory_.resize(inputs.size() + graph.outputs().size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::vector<std::byte> bytes = pack(inputs[i]);
      memory_[i].resize(bytes.size());
      std::copy(bytes.begin(), bytes.end(), memory_[i].begin());
    }
    for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
      const auto bytes = static_cast<std::size_t>(size_of(graph.type(graph.outputs()[i])).value().count);
      memory_[inputs.size() + i].assign(bytes, std::byte{0xff});
    }
    if (const Status ran = run_bound(built, version); !ran.ok()) return ran.error().message;
    std::vector<RealTensor> outputs;
    for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
      outputs.push_back(unpack(graph.type(graph.outputs()[i]), memory_[inputs.size() + i]).value());
    }
    const auto verification = compare_outputs(graph, expected_outputs(graph, inputs, 1).value(), outputs);
    return verification.passed ? "" : verification.detail;
  }

  Status run_bound(library::HostPlan& built, std::uint64_t version) {
    library::Places places;
    for (auto& each : memory_) places.addresses.push_back(each.data());
    places.versions.assign(memory_.size(), version);
    FL_TRY(const auto bound, built.bind(places));
    return bound->run();
  }

  std::string result_of(const char* text, const char* config) {
    const Graph graph = parse_graph(text).value();
    const LaunchConfig parsed = LaunchConfig::parse(config).value();
    if (const Status used = library_->use_threads(library::threads_of(parsed)); !used.ok()) return used.error().message;
    auto built = library_->build(plan_for(library_->facts(), parsed, graph, {}));
    return built.ok() ? run(*built.value(), graph) : built.error().message;
  }

  std::shared_ptr<MklLibrary> library_;
  std::vector<std::vector<std::byte>> memory_;
};

TEST(MklLowering, TakesWhatIsElementWiseTogether) {
  EXPECT_EQ(words_of(kLinear), (std::vector<std::string>{"cblas_sgemm covers MatMul", "vector functions cover Add+Relu"}));
  const auto plan = lower(parse_graph(kLinear).value());
  EXPECT_EQ(plan.value().kept_bytes, (std::vector<std::int64_t>{0, 0})) << "the product lies where its result will";
}

TEST(MklLowering, NamesWhatItHasNoFunctionFor) {
  EXPECT_EQ(words_of("graph(x: f32[6,8]) { s = Softmax(x); return s }"),
            std::vector<std::string>{"Softmax: MKL has no function for it"});
  EXPECT_EQ(words_of("graph(x: f16[6,8]) { s = Exp(x); return s }"),
            std::vector<std::string>{"MKL computes f32 and bf16 here, not f16"});
}

TEST(MklLowering, CallsOnceForABatchAtEqualDistances) {
  EXPECT_EQ(words_of("graph(x: f32[3,4,5], y: f32[3,5,6]) { p = MatMul(x, y); return p }"),
            std::vector<std::string>{"cblas_sgemm_batch_strided covers MatMul"});
  EXPECT_EQ(words_of("graph(x: f32[3,4,5], y: f32[5,6]) { p = MatMul(x, y); return p }"),
            std::vector<std::string>{"cblas_sgemm covers MatMul"});
  EXPECT_EQ(words_of("graph(x: f32[2,1,4,5], y: f32[3,5,6]) { p = MatMul(x, y); return p }"),
            std::vector<std::string>{"6 calls of cblas_sgemm cover MatMul"});
}

TEST(MklLowering, RoundsToBf16WhatIsNoArgument) {
  const auto plan = lower(
      parse_graph("graph(x: bf16[6,8], w: bf16[8,8]) { p = MatMul(x, w); t = Tanh(p); q = MatMul(t, w); return q, t }").value());
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan.value().words, (std::vector<std::string>{"cblas_gemm_bf16bf16f32 covers MatMul", "vector functions cover Tanh",
                                                          "cblas_gemm_bf16bf16f32 covers MatMul", "a rounding copy"}));
  EXPECT_EQ(plan.value().kept_bytes, (std::vector<std::int64_t>{192, 0, 192})) << "products are f32; t lies where it is returned";
}

TEST_F(MklPlans, ComputeWhatTheirGraphsSay) {
  const char* const graphs[] = {
      kLinear,
      "graph(x: f32[3,4,5], y: f32[3,5,6]) { p = MatMul(x, y); return p }",
      "graph(x: f32[2,1,4,5], y: f32[3,5,6], b: f32[4,1]) { p = MatMul(x, y); q = Mul(p, b); return q }",
      "graph(x: f32[5,3], w: param f32[4,5], c: f32[4]) { p = Gemm(x, w, c, transA=1, transB=1, alpha=0.5, beta=2.0); return p }",
      "graph(x: f32[7], y: f32[7]) { p = MatMul(x, y); return p }",
      "graph(x: f32[3,70], b: f32[70]) { s = Add(x, b); t = Tanh(s); r = Reshape(t, shape=[70,3]); u = Neg(r); return u, t }",
      "graph(x: f32[2,3,4], a: f32[3,1], b: f32[]) { s = Add(x, a); t = Mul(s, b); g = Gelu(t); w = Swish(g); return w, t, t }",
      "graph(x: f32[6,8], w: param f32[8,8]) { p = MatMul(x, w); s = Sigmoid(p); t = Mul(p, s); u = Sub(t, p); return u, s }",
      "graph(x: f32[6,8]) { r = Reshape(x, shape=[48]); return r }",
      "graph(x: f32[6,8]) { m = Max(x); c = Clip(m); e = Exp(c); return c, e }",
      "graph(x: bf16[6,8], w: bf16[8,8], v: bf16[8,3]) { p = MatMul(x, w); q = MatMul(p, v); s = Add(q, q); return q, s, s }",
      "graph(x: bf16[6,8], w: param bf16[8,5], b: bf16[5]) { p = MatMul(x, w); s = Add(p, b); r = Relu(s); return r }",
      "graph(x: bf16[2,1,4,5], y: bf16[3,5,6], b: bf16[4,1]) { p = MatMul(x, y); q = Mul(p, b); return q, p }",
      "graph(x: bf16[5,3], w: bf16[4,5], c: bf16[4]) { p = Gemm(x, w, c, transA=1, transB=1, alpha=0.5, beta=2.0); return p }",
      "graph(x: bf16[6,8], w: bf16[8,8], v: bf16[8,3]) { p = MatMul(x, w); t = Tanh(p); q = MatMul(t, v); return q, t }",
      "graph(x: bf16[3,70], b: bf16[70]) { s = Add(x, b); t = Tanh(s); r = Reshape(t, shape=[70,3]); u = Neg(r); return u, t }",
      "graph(x: bf16[6,8]) { r = Reshape(x, shape=[48]); return r }"};
  for (const char* const graph : graphs) {
    for (const char* const config : {"threads=1", "threads=1,weights=packed,accuracy=low,chunk=1024"}) {
      EXPECT_EQ(result_of(graph, config), "") << graph << " with " << config;
    }
    const std::string all = "threads=" + std::to_string(library_->facts().most_threads) + ",chunk=16384";
    EXPECT_EQ(result_of(graph, all.c_str()), "") << graph << " with " << all;
  }
}

TEST(MklLowering, MultipliesBytesAsTheyLie) {
  EXPECT_EQ(words_of(quantised("u8", "u8[]", "param i8").c_str()),
            (std::vector<std::string>{"cblas_gemm_s8u8s32 covers Cast+MatMul", "vector functions cover Mul+Add"}));
  EXPECT_EQ(words_of(quantised("u8", "u8[]", "u8").c_str()),
            std::vector<std::string>{"MatMul: MKL multiplies u8 by i8 alone, and B is u8"});
  EXPECT_EQ(words_of(quantised("u8", "u8[6,1]", "i8").c_str()),
            std::vector<std::string>{"MatMul: MKL takes one zero point of A, and none of B"});
  EXPECT_EQ(words_of("graph(x: i32[6,8], y: i32[8,5]) { p = MatMul(x, y); return p }"),
            std::vector<std::string>{"MKL computes f32 and bf16 here, not i32"});
}

TEST_F(MklPlans, MultiplyBytes) {
  for (const char* const x : {"u8", "i8"}) {
    for (const char* const zero : {"", "u8[]", "i8[1]"}) {
      for (const char* const w : {"i8", "param i8"}) {
        const std::string graph = quantised(x, zero, w);
        EXPECT_EQ(result_of(graph.c_str(), "threads=1"), "") << graph;
      }
    }
  }
  EXPECT_EQ(result_of(R"(graph(x: u8[3,7], w: i8[7,4]) { a = Cast(x, to="i32"); b = Cast(w, to="i32"); p = MatMul(a, b);
                         r = Cast(p, to="f32"); return r })",
                      "threads=1"),
            "");
  EXPECT_EQ(
      result_of(R"(graph(x: u8[3,7], w: i8[7,4]) { a = Cast(x, to="i32"); b = Cast(w, to="i32"); p = MatMul(a, b); return p })",
                "threads=1"),
      "")
      << "the whole numbers themselves";
}

// As on processors without VNNI.
TEST_F(MklPlans, AreRefusedWhereSumsOfBytesAreWrong) {
  ::setenv("FAKE_MKL_SATURATES", "1", 1);
  const auto outline = library_->outline(parse_graph(quantised("u8", "", "i8")).value());
  ::unsetenv("FAKE_MKL_SATURATES");
  ASSERT_FALSE(outline.ok());
  EXPECT_EQ(outline.error().message,
            "MKL's cblas_gemm_s8u8s32 is wrong on this CPU: the sum of 64 times 255 · 127, 2072640, is 32767 there");
}

TEST_F(MklPlans, PackWeightsAnewWhenTheyChanged) {
  const Graph graph = parse_graph(kLinear).value();
  auto built = library_->build(plan_for(library_->facts(), LaunchConfig::parse("threads=1,weights=packed").value(), graph, {}));
  ASSERT_TRUE(built.ok()) << built.error().message;
  EXPECT_NE(built.value()->remarks().find("ahead of time"), std::string::npos);
  EXPECT_EQ(run(*built.value(), graph, 1), "");
  std::fill(memory_[1].begin(), memory_[1].end(), std::byte{0});  // the weights
  const auto before = memory_.back();
  ASSERT_TRUE(run_bound(*built.value(), 1).ok());
  EXPECT_EQ(memory_.back(), before) << "nobody said that they were written";
  ASSERT_TRUE(run_bound(*built.value(), 2).ok());
  EXPECT_NE(memory_.back(), before);
}

TEST_F(MklPlans, HaveCodeWrittenWhereTheLibraryDoes) {
  constexpr const char* kSmall = "graph(x: f32[6,6], y: f32[6,6]) { p = MatMul(x, y); return p }";
  const auto outline = library_->outline(parse_graph(kSmall).value());
  ASSERT_TRUE(outline.ok());
  const auto& parameters = outline.value().parameters;
  ASSERT_EQ(parameters.size(), 2U);
  EXPECT_EQ(parameters[1].values, (std::vector<ParameterValue>{std::string("library"), std::string("jit")}));
  EXPECT_EQ(result_of(kSmall, "threads=1,gemm=jit"), "");
  EXPECT_EQ(library_->outline(parse_graph("graph(x: f32[6,7], y: f32[7,6]) { p = MatMul(x, y); return p }").value())
                .value()
                .parameters.size(),
            1U);
}

TEST_F(MklPlans, AreReadForTheirOwnLibraryAlone) {
  const Graph graph = parse_graph(kLinear).value();
  const auto& facts = library_->facts();
  const std::string text = write_plan(plan_for(facts, LaunchConfig::parse("threads=1").value(), graph, {"a step"}));
  const auto read = library::read_plan(text, facts);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(named_text(read.value().graph), named_text(graph));
  EXPECT_EQ(read.value().config.text(), "threads=1");
  library::LibraryFacts other = facts;
  other.version = "2027.0";
  const auto refused = library::read_plan(text, other);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  for (const char* const damaged :
       {"", "library plan 2\n", "library plan 1\n", "library plan 1\nnonsense x\n", "library plan 1\ngraph graph(\n"}) {
    EXPECT_FALSE(library::read_plan(damaged, facts).ok()) << damaged;
  }
}

}  // namespace
}  // namespace fuselab::mkl
