// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/random.h"
#include "core/graph/graph_text.h"

namespace fuselab {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string problem(std::string_view text) {
  const auto parsed = parse_graph(text);
  return parsed.ok() ? "accepted" : parsed.error().message;
}

TEST(ParseGraph, SkipsSpaceAndComments) {
  EXPECT_EQ(problem("# title\n\n graph ( x:f32[ 2 , n ] )\r\n{ # body\n\ty=Exp(x);return y ; } # end"), "accepted");
}

TEST(ParseGraph, ErrorsGiveLineAndColumn) {
  EXPECT_EQ(problem("graph(x: f32[2]) {\n  y = Exp(x)\n  return y\n}"),
            "line 3, column 3: expected ';' after a statement, got 'return'");
  EXPECT_EQ(problem("graph(x: float[2]) { return x }"),
            "line 1, column 10: expected an element type such as f32, f16, bf16, i64, bool, got 'float'");
  EXPECT_EQ(problem("graph(x: f32[2], y: f32[3]) {\n  z = Add(x, y);\n  return z\n}"),
            "line 2, column 7: Add: shapes [2] and [3] do not broadcast: 2 against 3 (inputs f32[2], f32[3])");
}

TEST(ParseGraph, RefusesNamesUsedTwiceOrTooEarly) {
  EXPECT_EQ(problem("graph(x: f32[2], x: f32[2]) { return x }"), "line 1, column 18: 'x' is already defined");
  EXPECT_THAT(problem("graph(x: f32[2]) { x = Exp(x); return x }"), HasSubstr("column 20: 'x' is already defined"));
  EXPECT_THAT(problem("graph(x: f32[2]) { a, a = Split(x, num_outputs=2); return a }"), HasSubstr("'a' is already defined"));
  EXPECT_THAT(problem("graph(x: f32[2]) { y = Exp(z); z = Exp(x); return y }"), HasSubstr("'z' is not defined before this use"));
  EXPECT_THAT(problem("graph(x: f32[2]) { y = Exp(x); return w }"), HasSubstr("'w' is not defined before this use"));
  EXPECT_THAT(problem("graph(x: f32[2]) { return = Exp(x); return x }"), HasSubstr("the name of a value to return"));
}

TEST(ParseGraph, SaysWhatItExpects) {
  EXPECT_EQ(problem(""), "line 1, column 1: expected 'graph', got the end of the text");
  EXPECT_THAT(problem("graph"), HasSubstr("expected '(' after 'graph', got the end of the text"));
  EXPECT_THAT(problem("graph(x f32[2])"), HasSubstr("expected ':' and a type after the input's name"));
  EXPECT_THAT(problem("graph(x: f32[2]) { y = Foo(x); return y }"),
              HasSubstr("unknown operator 'Foo'; write Opaque:Foo for a barrier"));
  EXPECT_THAT(problem("graph(x: f32[2]) { y = Opaque:Foo(x); return y }"), HasSubstr("the outputs of an opaque node need types"));
  EXPECT_THAT(problem("graph(x: f32[2]) { y = Softmax(axis=0, x); return y }"), HasSubstr("operands come before attributes"));
  EXPECT_THAT(problem("graph(x: f32[2]) { y = Softmax(x, axis=0, axis=1); return y }"),
              HasSubstr("attribute 'axis' is given twice"));
  EXPECT_THAT(problem("graph(x: f32[2]) { y = Softmax(x, axis=left); return y }"),
              HasSubstr("expected a number, a string or a list"));
  EXPECT_THAT(problem("graph(x: f32[2]) { y = ReduceSum(x, axes=[[0]]); return y }"), HasSubstr("lists do not nest"));
  EXPECT_THAT(problem("graph(x: f32[2]) { y = ReduceSum(x, axes=[\"0\"]); return y }"), HasSubstr("a list holds numbers only"));
  EXPECT_THAT(problem("graph(x: f32[2]) { return x } extra"), HasSubstr("expected nothing after the closing '}', got 'extra'"));
  EXPECT_THAT(problem("graph(x: f32[2]) { return }"), HasSubstr("the name of a value to return"));
  EXPECT_THAT(problem("graph(x: f32[2]) { y: f32[3] = Exp(x); return y }"), HasSubstr("'y' is declared f32[3], but is f32[2]"));
}

TEST(ParseGraph, BoundsNumbersAndDimensions) {
  EXPECT_THAT(problem("graph(x: f32[99999999999999999999]) { return x }"), HasSubstr("expected an extent"));
  EXPECT_THAT(problem("graph(x: f32[9223372036854775807]) { return x }"), HasSubstr("expected an extent"));
  EXPECT_THAT(problem("graph(x: f32[-1]) { return x }"), HasSubstr("expected an extent"));
  EXPECT_THAT(problem("graph(x: f32[1,1,1,1,1,1,1,1,1]) { return x }"), HasSubstr("more than 8 dimensions"));
  EXPECT_THAT(problem("graph() { c = Constant(value=1e999); return c }"), HasSubstr("is too large"));
  EXPECT_THAT(problem("graph() { c = Constant(value=1.2.3); return c }"), HasSubstr("'1.2.3' is not a number"));
  EXPECT_THAT(problem("graph() { c = Constant(value=-); return c }"), HasSubstr("'-' is not a number"));
  EXPECT_THAT(problem("graph(x: f32[" + std::string(65, 'n') + "]) { return x }"), HasSubstr("expected an extent"));
}

TEST(ParseGraph, HugeExtentsMeetNoOverflow) {
  const std::string huge = "4611686018427387904";
  EXPECT_THAT(problem("graph(x: f32[" + huge + "," + huge + "]) { y = Flatten(x, axis=0); return y }"), StartsWith("line 1"));
  EXPECT_THAT(problem("graph(x: f32[" + huge + "]) { y = Concat(x, x, axis=0); return y }"), HasSubstr("too large"));
  EXPECT_THAT(problem("graph(x: f32[1,1," + huge + "], w: f32[1,1,9]) { y = Conv(x, w, pads=[2147483648,2147483648]); return y }"),
              HasSubstr("2^62"));
  EXPECT_THAT(problem("graph(x: f32[1,1,8], w: f32[1,1," + huge + "]) { y = Conv(x, w); return y }"), StartsWith("line 1"));
}

TEST(ParseGraph, RefusesBrokenStringsAndCharacters) {
  EXPECT_THAT(problem("graph(x: f32[2]) { y = Gelu(x, approximate=\"tanh); return y }"), HasSubstr("no closing '\"'"));
  EXPECT_THAT(problem("graph(x: f32[2]) { y = Gelu(x, approximate=\"\\q\"); return y }"), HasSubstr("unknown escape"));
  EXPECT_THAT(problem("graph(x: f32[2]) { y = Gelu(x, approximate=\"\\x4"), HasSubstr("unknown escape"));
  EXPECT_THAT(problem("graph(x: f32[2]) { y = \xff(x); return y }"), HasSubstr("unexpected character '\\xff'"));
  EXPECT_THAT(problem(std::string_view("graph\0(", 7)), HasSubstr("unexpected character '\\x00'"));
}

TEST(ParseGraph, RefusesTextsBeyondItsBound) {
  EXPECT_THAT(problem(std::string((16 << 20) + 1, ' ')), HasSubstr("at most 16 MiB"));
}

TEST(ParseGraph, BoundsWhatAShortTextCanMakeItBuild) {
  EXPECT_THAT(problem("graph(x: f32[1000000]) { y = Split(x, num_outputs=1000000); return y }"),
              HasSubstr("1 names for 1000000 outputs"));
  std::string operands = "x";
  for (int i = 0; i < 65536; ++i) operands += ",x";
  EXPECT_THAT(problem("graph(x: f32[2]) { y = Max(" + operands + "); return y }"), HasSubstr("more than 65536 operands"));
}

TEST(ParseGraph, ReadsAMillionTokens) {
  std::string text = "graph(x: f32[2]) { v0 = Neg(x); ";
  constexpr int kNodes = 140000;  // seven tokens each
  for (int i = 1; i < kNodes; ++i) text += "v" + std::to_string(i) + " = Neg(v" + std::to_string(i - 1) + "); ";
  const auto parsed = parse_graph(text + "return v" + std::to_string(kNodes - 1) + " }");
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_EQ(parsed.value().nodes().size(), static_cast<std::size_t>(kNodes));
}

TEST(ParseGraph, NestingCostsNoStack) {
  EXPECT_THAT(problem("graph(" + std::string(1000000, '(')), HasSubstr("expected the name of an input"));
  EXPECT_THAT(problem("graph(x: f32[2]) { y = ReduceSum(x, axes=" + std::string(1000000, '[')), HasSubstr("lists do not nest"));
  EXPECT_THAT(problem("graph(x: f32[2]) " + std::string(1000000, '{')), HasSubstr("a statement or 'return'"));
}

// Every prefix and seeded one-character changes of a good text: an answer each time, never a crash.
TEST(ParseGraph, SurvivesDamage) {
  const std::string good =
      "graph(a: f32[n,4], w: param f32[4,6]) { h, r = Split(a, axis=-1, split=[2,2]); m = MatMul(a, w); k = "
      "Constant(value=-1.5e-3); "
      "t = Mul(m, k); q: i64[] = Opaque:Odd(t, s=\"x\\\"\\x0a\", l=[1,2.5]); return t, h, q }";
  ASSERT_EQ(problem(good), "accepted");
  for (std::size_t length = 0; length < good.size(); ++length) EXPECT_NE(problem(good.substr(0, length)), "accepted");
  SeededRandom random(3);
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string damaged = good;
    const int changes = 1 + static_cast<int>(random.below(3));
    for (int c = 0; c < changes; ++c) damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
    const auto parsed = parse_graph(damaged);
    if (!parsed.ok()) {
      ++refused;
      EXPECT_THAT(parsed.error().message, StartsWith("line ")) << damaged;
    } else {
      EXPECT_TRUE(parse_graph(canonical_text(parsed.value())).ok()) << damaged;
    }
  }
  EXPECT_GT(refused, 15000);
}

TEST(ParseGraph, SurvivesGarbage) {
  SeededRandom random(5);
  const std::string_view words[] = {"graph",  "(", ")",  "{",   "}",     "[",     "]",      "x",   "y",
                                    ":",      ";", ",",  "=",   "f32",   "param", "return", "Add", "Split",
                                    "Opaque", "1", "-7", "2.5", "\"s\"", "inf",   "axis",   "#\n", "n"};
  for (int i = 0; i < 5000; ++i) {
    std::string text = i % 2 == 0 ? "graph(x: f32[n]) { " : "";
    const int length = static_cast<int>(random.below(60));
    for (int w = 0; w < length; ++w) text += std::string(words[random.below(std::size(words))]) + " ";
    const auto parsed = parse_graph(text);
    if (parsed.ok()) {
      EXPECT_TRUE(parse_graph(canonical_text(parsed.value())).ok()) << text;
    }
  }
}

}  // namespace
}  // namespace fuselab
