// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>

#include "core/base/random.h"
#include "core/graph/graph_text.h"
#include "core/types/shape.h"

namespace fuselab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string normal(std::string_view text) {
  const auto dim = parse_extent(text);
  return dim.ok() ? dim.value().text() : "error: " + dim.error().message;
}

TEST(Extent, HasOneNormalForm) {
  EXPECT_EQ(normal("h"), "h");
  EXPECT_EQ(normal("7"), "7");
  EXPECT_EQ(normal(" ( h - 1 ) / 2 + 1 "), "(h+1)/2");
  EXPECT_EQ(normal("((h+1)/2+1)/2"), "(h+3)/4");
  EXPECT_EQ(normal("4*h*w/4"), "h*w");
  EXPECT_EQ(normal("w*h"), "h*w");
  EXPECT_EQ(normal("(2*h+4*w+5)/2"), "h+2*w+2");
  EXPECT_EQ(normal("(h+w)*(h-w)"), "h*h-w*w");
  EXPECT_EQ(normal("7-h"), "7-h");
  EXPECT_EQ(normal("2*(h/2)"), "2*(h/2)");
  EXPECT_EQ(normal("h-h+3"), "3");
}

TEST(Extent, IsComputedFromOthers) {
  const Dim h = Dim::symbol("h"), w = Dim::symbol("w");
  EXPECT_EQ(sum(h, Dim(2)), Dim::symbol("h+2"));
  EXPECT_EQ(difference(*sum(h, w), w), h);
  EXPECT_EQ(product(h, Dim(0)), Dim(0));
  EXPECT_EQ(quotient(*sum(h, Dim(3)), 2), Dim::symbol("(h+1)/2+1")) << "what divides comes out";
  EXPECT_EQ(exact_quotient(*product(h, w), w), h);
  EXPECT_EQ(exact_quotient(h, Dim(2)), std::nullopt) << "it may be odd";
  EXPECT_EQ(sum(Dim(INT64_MAX), h).has_value(), true);
  EXPECT_EQ(sum(Dim(INT64_MAX), Dim(1)), std::nullopt);
}

TEST(Extent, IsBoundStepByStep) {
  const Dim half = parse_extent("(h+w)/2").value();
  EXPECT_EQ(bound(half, {{"h", 3}}).value(), parse_extent("(w+3)/2").value());
  EXPECT_EQ(bound(half, {{"h", 3}, {"w", 4}}).value(), Dim(3));
  EXPECT_THAT(bound(parse_extent("h-4").value(), {{"h", 1}}).error().message, HasSubstr("the extent h-4 is -3"));
  std::set<std::string> symbols;
  add_symbols(half, symbols);
  EXPECT_THAT(symbols, ElementsAre("h", "w"));
  EXPECT_TRUE(is_derived(half));
  EXPECT_FALSE(is_derived(Dim::symbol("h")));
}

// Random formulas: their text is read back as the same formula, and all values are those of the operations.
TEST(Extent, KeepsItsValueInNormalForm) {
  SeededRandom random(7);
  const Bindings bindings = {{"a", 5}, {"b", 12}, {"c", 1}};
  for (int round = 0; round < 2000; ++round) {
    Dim formula = Dim::symbol("a");
    std::int64_t value = bindings.at("a");
    for (int step = 0; step < 6; ++step) {
      const std::string name(1, static_cast<char>('a' + random.below(3)));
      const auto number = static_cast<std::int64_t>(1 + random.below(9));
      const std::uint64_t kind = random.below(5);
      const auto next = kind == 0   ? sum(formula, Dim::symbol(name))
                        : kind == 1 ? sum(formula, Dim(number))
                        : kind == 2 ? product(formula, Dim(number))
                        : kind == 3 ? quotient(formula, number)
                                    : product(formula, Dim::symbol(name));
      if (!next) break;
      formula = *next;
      value = kind == 0   ? value + bindings.at(name)
              : kind == 1 ? value + number
              : kind == 2 ? value * number
              : kind == 3 ? value / number
                          : value * bindings.at(name);
    }
    ASSERT_EQ(bound(formula, bindings).value(), Dim(value)) << formula.text();
    ASSERT_EQ(parse_extent(formula.text()).value(), formula);
  }
}

TEST(Extent, OfAStrangerIsBounded) {
  for (const char* const text :
       {"", "h+", "(h", "h)", "h/0", "h/-2", "h/w", "2.5", "-3", "h**2", "h h", "9223372036854775808", "h/"})
    EXPECT_THAT(normal(text), HasSubstr("is no extent")) << text;
  EXPECT_THAT(normal(std::string(300, '(') + "h"), HasSubstr("is no extent"));
  std::string nested = "h";
  for (int i = 0; i < 40; ++i) nested = "(" + nested + "+1)/3*2";
  EXPECT_THAT(normal(nested), HasSubstr("is no extent"));
  std::string powers = "(a+b+c+d)";
  for (int i = 0; i < 12; ++i) powers += "*(a+b+c+d)";
  EXPECT_THAT(normal(powers), HasSubstr("is no extent"));
}

// What can be written can be read again, and numbers at the end of their range break a formula instead of wrapping around.
TEST(Extent, IsNothingBeyondItsBounds) {
  std::optional<Dim> nested = Dim::symbol("h");
  int steps = 0;
  for (; nested && steps < 100; ++steps) {
    EXPECT_EQ(parse_extent(nested->text()).value(), *nested);
    const auto more = sum(*nested, Dim::symbol("w"));
    nested = more ? quotient(*more, 3) : std::nullopt;
  }
  EXPECT_LT(steps, 100);
  EXPECT_THAT(normal("(-9223372036854775807+h)/3"), HasSubstr("is no extent"));
}

TEST(Extent, MayHaveCommentsAround) {
  const auto graph = parse_graph("graph(x: f32[8, # rows ] and\n 4 # columns\n]) { y = Relu(x); return y }");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_THAT(canonical_text(graph.value()), HasSubstr("f32[8,4]"));
}

TEST(Extent, StandsInTheTextOfAGraph) {
  const char* const text = "graph(x: f32[ b , (h+1)/2, 4*w ]) { y = Relu(x); return y }";
  const auto graph = parse_graph(text);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_THAT(graph.value().symbols(), ElementsAre("b", "h", "w"));
  EXPECT_THAT(canonical_text(graph.value()), HasSubstr("f32[b,(h+1)/2,4*w]"));
  const auto bound = fuselab::bind(graph.value(), {{"b", 2}, {"h", 7}, {"w", 3}});
  ASSERT_TRUE(bound.ok()) << bound.error().message;
  EXPECT_THAT(canonical_text(bound.value()), HasSubstr("f32[2,4,12]"));
}

}  // namespace
}  // namespace fuselab
