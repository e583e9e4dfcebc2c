// SPDX-License-Identifier: Apache-2.0
// Products of 8-bit numbers, as MatMulInteger is imported: whatever their signs and zero points, a backend is right or says why
// not; cpu takes them all.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "core/graph/graph_text.h"
#include "tests/conformance/backend_case.h"
#include "tests/conformance/kernel_run.h"

namespace fuselab::conformance {
namespace {

struct Operands {
  std::string a, b;            // types of the 8-bit numbers
  std::string a_zero, b_zero;  // extents of zero points, in brackets; empty: there are none
  std::string zeros = {};      // their type; empty: that of the numbers
};

std::string graph_of(const Operands& given, int rows, int depth, int columns, const char* behind) {
  const auto type = [](const std::string& dtype, int first, int second) {
    return dtype + "[" + std::to_string(first) + "," + std::to_string(second) + "]";
  };
  std::string head = "x: " + type(given.a, rows, depth), body = "a = Cast(x, to=\"i32\"); b = Cast(w, to=\"i32\"); ";
  std::string left = "a", right = "b";
  if (!given.a_zero.empty()) {
    head += ", z: " + (given.zeros.empty() ? given.a : given.zeros) + given.a_zero;
    body += "z32 = Cast(z, to=\"i32\"); c = Sub(a, z32); ";
    left = "c";
  }
  head += ", w: param " + type(given.b, depth, columns);
  if (!given.b_zero.empty()) {
    head += ", v: param " + (given.zeros.empty() ? given.b : given.zeros) + given.b_zero;
    body += "v32 = Cast(v, to=\"i32\"); d = Sub(b, v32); ";
    right = "d";
  }
  return "graph(" + head + ", s: f32[" + std::to_string(columns) + "]) { " + body + "p = MatMul(" + left + ", " + right + "); " +
         behind + " }";
}

constexpr const char* kScaled = R"(r = Cast(p, to="f32"); m = Mul(r, s); y = Relu(m); return y)";

std::vector<std::string> graphs() {
  std::vector<std::string> all;
  for (const char* const a : {"u8", "i8"}) {
    for (const char* const b : {"u8", "i8"}) {
      for (const char* const a_zero : {"", "[]", "[5,1]"}) {
        for (const char* const b_zero : {"", "[1]", "[35]"}) all.push_back(graph_of({a, b, a_zero, b_zero}, 5, 11, 35, kScaled));
      }
    }
  }
  // Zero points of the other type.
  for (const char* const zeros : {"u8", "i8"}) {
    const std::string numbers = zeros == std::string("u8") ? "i8" : "u8";
    for (const char* const a_zero : {"[]", "[5,1]"}) {
      for (const char* const b_zero : {"[]", "[35]"})
        all.push_back(graph_of({numbers, numbers, a_zero, b_zero, zeros}, 5, 11, 35, kScaled));
    }
  }
  // Constant ones, of which one is no number of 8 bits.
  for (const char* const zero : {"-7", "300"}) {
    all.push_back("graph(x: u8[2,5,12], w: param i8[12,20], s: f32[20]) { z = Constant(value=" + std::string(zero) +
                  R"(, dtype="i32"); a = Cast(x, to="i32"); c = Sub(a, z); b = Cast(w, to="i32"); p = MatMul(c, b); )" + kScaled +
                  " }");
  }
  all.push_back(graph_of({"u8", "i8", "[]", ""}, 33, 64, 96, kScaled));
  all.push_back(graph_of({"i8", "i8", "", ""}, 1, 3, 1, kScaled));
  all.push_back(graph_of({"u8", "i8", "", "[]"}, 9, 16, 17, "q = Mul(s, s); return p, q"));
  all.push_back(graph_of({"u8", "i8", "[]", ""}, 9, 16, 17, "return p"));
  return all;
}

// The operand that nothing reads would be no input of a piece.
Graph parsed(const std::string& text) {
  std::string own = text;
  if (own.find("return p }") != std::string::npos) own.erase(own.find(", s: f32"), own.find(") {") - own.find(", s: f32"));
  auto graph = parse_graph(own);
  EXPECT_TRUE(graph.ok()) << own << ": " << graph.error().message;
  return std::move(graph).value();
}

class ByteProducts : public ::testing::TestWithParam<BackendCase> {};

INSTANTIATE_TEST_SUITE_P(Of, ByteProducts, ::testing::ValuesIn(all_cases()), [](const auto& given) { return given.param.id; });

TEST_P(ByteProducts, AreRightOrRefused) {
  Opened opened = open_first_device(GetParam());
  if (!opened.why_not.empty()) GTEST_SKIP() << opened.why_not;
  for (const std::string& text : graphs()) {
    const Graph graph = parsed(text);
    const Support support = opened.backend->generator()->supports(graph, opened.device.target);
    if (!support.yes) {
      EXPECT_FALSE(support.why_not.empty()) << text;
      const bool must =
          GetParam().id == "cpu" && opened.device.target.arch == "x86-64" && text.find("return p, q") == std::string::npos;
      EXPECT_FALSE(must) << text << ": " << support.why_not;
      continue;
    }
    const auto verification = compile_and_verify(*opened.backend, *opened.runtime, graph);
    ASSERT_TRUE(verification.ok()) << text << ": " << verification.error().message;
    EXPECT_TRUE(verification.value().passed) << text << ": " << verification.value().detail;
  }
}

TEST(ByteProductsOfCpu, WithoutElementsAreRightOrRefused) {
  Opened opened = open_first_device(case_of("cpu"));
  if (!opened.why_not.empty()) GTEST_SKIP() << opened.why_not;
  for (const auto& [rows, depth, columns] : {std::array{0, 7, 5}, std::array{3, 0, 5}, std::array{3, 7, 0}}) {
    const Graph graph = parsed(graph_of({"u8", "i8", "", ""}, rows, depth, columns, kScaled));
    const Support support = opened.backend->generator()->supports(graph, opened.device.target);
    if (!support.yes) {
      EXPECT_FALSE(support.why_not.empty());
      continue;
    }
    const auto verification = compile_and_verify(*opened.backend, *opened.runtime, graph);
    ASSERT_TRUE(verification.ok()) << verification.error().message;
    EXPECT_TRUE(verification.value().passed) << rows << "x" << depth << "x" << columns << ": " << verification.value().detail;
  }
}

// Every way of adding up, tiles that fit and tiles that do not.
TEST(ByteProductsOfCpu, AreRightInEveryConfiguration) {
  Opened opened = open_first_device(case_of("cpu"));
  if (!opened.why_not.empty()) GTEST_SKIP() << opened.why_not;
  const std::vector<Graph> all = {parsed(graph_of({"i8", "u8", "[5,1]", "[35]"}, 5, 11, 35, kScaled)),
                                  parsed(graph_of({"u8", "i8", "[]", ""}, 70, 21, 67, kScaled))};
  std::vector<std::pair<Target, const Graph*>> asked;
  for (const Graph& each : all) {
    for (const Target& target : opened.device.other_targets) asked.emplace_back(target, &each);
    asked.emplace_back(opened.device.target, &each);
  }
  for (const auto& [target, given] : asked) {
    const Graph& graph = *given;
    const ParameterSpace space = opened.backend->generator()->space(graph, target);
    const LaunchConfig usual = opened.backend->generator()->default_config(graph, target);
    for (const Parameter& axis : space.parameters()) {
      for (const ParameterValue& value : axis.values) {
        LaunchConfig config = usual;
        config.set(axis.name, value);
        if (!space.check(config).ok()) continue;
        const auto kernel = compile_kernel(*opened.backend, graph, config, target, OptimizationLevel::kO2, {});
        ASSERT_TRUE(kernel.ok()) << config.text() << ": " << kernel.error().message;
        auto run = KernelRun::create(*opened.runtime, kernel.value(), graph);
        ASSERT_TRUE(run.ok()) << run.error().message;
        ASSERT_TRUE(run.value()->launch().ok());
        const auto verification = run.value()->verify();
        ASSERT_TRUE(verification.ok()) << verification.error().message;
        EXPECT_TRUE(verification.value().passed) << target.id << " " << config.text() << ": " << verification.value().detail;
      }
    }
  }
}

}  // namespace
}  // namespace fuselab::conformance
