// SPDX-License-Identifier: Apache-2.0
// Attention with a past: the keys and values behind those of the past are what it looks at, and what comes of it.
#include <limits>

#include "evaluated.h"

namespace fuselab {
namespace {

using testing::barrier_of;
using testing::evaluated;
using testing::expect_close;
using testing::has;
using testing::imported;
using testing::ModelMaker;
using testing::some_numbers;

// Two heads that share one of keys and values, depth 2; 2 queries, 3 keys of which the past has `past`.
ModelMaker attention(std::int64_t past, bool flat, const std::string& wanted = "y", ModelMaker maker = ModelMaker(23)) {
  const std::string own = std::to_string(3 - past);
  if (flat) maker.input("q", {"1", "2", "4"}).input("k", {"1", own, "2"}).input("v", {"1", own, "2"});
  if (!flat) maker.input("q", {"1", "2", "2", "2"}).input("k", {"1", "1", own, "2"}).input("v", {"1", "1", own, "2"});
  std::vector<std::string> operands{"q", "k", "v"};
  if (past > 0) {
    maker.input("pk", {"1", "1", std::to_string(past), "2"}).input("pv", {"1", "1", std::to_string(past), "2"});
    operands.insert(operands.end(), {"", "pk", "pv"});
  }
  maker.node("Attention", operands, {"y", "present_k", "present_v"});
  if (flat) maker.with("q_num_heads", 2).with("kv_num_heads", 1);
  return maker.output(wanted);
}

// Elements [from, from + count) of a row of rows of two.
std::vector<double> rows(const std::vector<double>& all, std::size_t from, std::size_t count) {
  return {all.begin() + static_cast<std::ptrdiff_t>(2 * from), all.begin() + static_cast<std::ptrdiff_t>(2 * (from + count))};
}

TEST(AttentionWithPast, LooksAtThePastAndAtItsOwn) {
  const auto q = some_numbers(8), k = some_numbers(6), v = std::vector<double>{5, 1, -2, 7, 3, 3};
  for (const bool flat : {false, true}) {
    const auto whole = evaluated(attention(0, flat), {q, k, v});
    ASSERT_EQ(whole.size(), 8U);
    for (const std::size_t past : {1U, 2U}) {
      const std::vector<std::vector<double>> inputs{q, rows(k, past, 3 - past), rows(v, past, 3 - past), rows(k, 0, past),
                                                    rows(v, 0, past)};
      expect_close(evaluated(attention(static_cast<std::int64_t>(past), flat), inputs), whole, 1e-12);
    }
  }
}

TEST(AttentionWithPast, GivesWhatThePastHasBecome) {
  const auto q = some_numbers(8), k = some_numbers(6), v = std::vector<double>{5, 1, -2, 7, 3, 3};
  for (const bool flat : {false, true}) {
    ModelMaker keys = attention(2, flat, "present_k");
    // Only the keys are computed from: what the values would be is not asked for.
    const auto model = imported(keys);
    EXPECT_EQ(model.opaque_nodes, 0);
    expect_close(evaluated(model, {q, rows(k, 2, 1), rows(v, 2, 1), rows(k, 0, 2), rows(v, 0, 2)}), k);
  }
}

// Two queries behind `past` keys: ONNX lets query i see the keys j <= i + past. What it may see, asked of it apart.
TEST(AttentionWithPast, IsCausalBehindThePast) {
  const auto q = some_numbers(8), k = some_numbers(6), v = std::vector<double>{5, 1, -2, 7, 3, 3};
  for (const bool flat : {false, true}) {
    // Of keys 0 to 2 with a past of 1 the first query sees two and the second three.
    const std::vector<std::vector<double>> inputs{q, rows(k, 1, 2), rows(v, 1, 2), rows(k, 0, 1), rows(v, 0, 1)};
    ModelMaker causal = attention(1, flat);
    const auto result = evaluated(causal.with("is_causal", 1), inputs);
    const auto all = evaluated(attention(0, flat), {q, k, v});
    ModelMaker first = attention(0, flat);
    first.integers("limit", {2}).integers("axis", {flat ? 1 : 2}).integers("zero", {0});
    auto& graph = first.graph();
    auto& own = *graph.mutable_node(0);
    own.set_input(1, "k2");
    own.set_input(2, "v2");
    ModelMaker cut = first;
    cut.graph().clear_node();
    for (const std::string operand : {"k", "v"}) cut.node("Slice", {operand, "zero", "limit", "axis"}, {operand + "2"});
    *cut.graph().add_node() = own;
    const auto shorter = evaluated(cut, {q, k, v});
    ASSERT_EQ(result.size(), 8U);
    for (std::size_t head = 0; head < 2; ++head) {
      // Flat: query by query, its heads within; else head by head.
      const std::size_t of_first = flat ? head : 2 * head, of_second = flat ? 2 + head : 2 * head + 1;
      expect_close(rows(result, of_first, 1), rows(shorter, of_first, 1), 1e-12);
      expect_close(rows(result, of_second, 1), rows(all, of_second, 1), 1e-12);
    }
  }
}

TEST(AttentionWithPast, IsABarrierWhereItMeansSomethingElse) {
  ModelMaker half = attention(1, false);
  half.graph().mutable_node(0)->set_input(5, "");
  EXPECT_EQ(barrier_of(half), "it has a past of only one of keys and values");
}

// Both heads of query 0, then of query 1, see only the key that is named.
std::vector<double> only(const std::vector<double>& v, std::size_t first, std::size_t second) {
  const auto a = rows(v, first, 1), b = rows(v, second, 1);
  return {a[0], a[1], b[0], b[1], a[0], a[1], b[0], b[1]};
}

TEST(AttentionWindows, HideWhatLiesBeyondThem) {
  const auto q = some_numbers(8), k = some_numbers(6), v = std::vector<double>{5, 1, -2, 7, 3, 3};
  const std::vector<std::vector<double>> inputs{q, k, v};
  const auto windowed = [](std::int64_t past, std::int64_t left, std::int64_t right) {
    return attention(past, false, "y", ModelMaker(25)).with("left_window_size", left).with("right_window_size", right);
  };
  const auto all = evaluated(attention(0, false), inputs);
  expect_close(evaluated(windowed(0, -1, -1), inputs), all);
  expect_close(evaluated(windowed(0, 1, std::numeric_limits<std::int64_t>::max()), inputs), all);
  expect_close(evaluated(windowed(0, -1, 0), inputs), evaluated(attention(0, false).with("is_causal", 1), inputs));
  expect_close(evaluated(windowed(0, 0, 0), inputs), only(v, 0, 1));
  // Behind a past of one the queries lie at the keys 1 and 2.
  expect_close(evaluated(windowed(1, 0, 0), {q, rows(k, 1, 2), rows(v, 1, 2), rows(k, 0, 1), rows(v, 0, 1)}), only(v, 1, 2));
}

// `counted`: the input that says how many of the keys are none of the padding.
ModelMaker counted(ModelMaker maker = ModelMaker(25)) {
  ModelMaker made = attention(0, false, "y", maker.input("counted", {"1"}, 7));
  auto& node = *made.graph().mutable_node(0);
  while (node.input_size() < 6) node.add_input("");
  node.add_input("counted");
  return made;
}

TEST(AttentionOfCountedKeys, SeesThoseAndEndsAtTheLast) {
  const auto q = some_numbers(8), k = some_numbers(6), v = std::vector<double>{5, 1, -2, 7, 3, 3};
  const auto seen = [&](double count, ModelMaker maker) { return evaluated(maker, {{count}, q, k, v}); };
  expect_close(seen(3, counted()), evaluated(attention(0, false), {q, k, v}));
  expect_close(seen(1, counted()), only(v, 0, 0));
  const std::vector<std::vector<double>> behind_one{q, rows(k, 1, 2), rows(v, 1, 2), rows(k, 0, 1), rows(v, 0, 1)};
  expect_close(seen(3, counted().with("is_causal", 1)), evaluated(attention(1, false).with("is_causal", 1), behind_one));
  expect_close(seen(2, counted().with("left_window_size", 0).with("right_window_size", 0)), only(v, 0, 1));
  expect_close(seen(3, counted().with("left_window_size", 0).with("right_window_size", 0)), only(v, 1, 2));
}

TEST(AttentionOfCountedKeys, IsABarrierBehindAPast) {
  ModelMaker both = attention(1, false, "y", ModelMaker(25).input("counted", {"1"}, 7));
  both.graph().mutable_node(0)->add_input("counted");
  EXPECT_EQ(barrier_of(both), "it has a past and beside it numbers of keys");
}

// One key of two (of the past) and one of its own, two queries, with a mask.
ModelMaker masked(const std::string& mask_keys, ModelMaker maker = ModelMaker(23)) {
  maker.input("q", {"1", "1", "2", "2"}).input("k", {"1", "1", "1", "2"}).input("v", {"1", "1", "1", "2"});
  maker.input("pk", {"1", "1", "1", "2"}).input("pv", {"1", "1", "1", "2"}).input("m", {"2", mask_keys});
  maker.node("Attention", {"q", "k", "v", "m", "pk", "pv"}, {"y"}).with("is_causal", 1);
  return maker.output("y");
}

TEST(AttentionWithPast, IsMaskedAndCausal) {
  // Both queries may see the past key and the newest; the mask takes the past from the first and adds nothing for the second.
  const std::vector<double> v{10, 20}, past_v{1, 2};
  const auto seen = evaluated(masked("2"), {{1, 0, 0, 1}, {1, 1}, v, {1, 1}, past_v, {-1e30, 0, 0, -1e30}});
  expect_close(seen, {10, 20, 1, 2}, 1e-9);
}

TEST(AttentionWithPast, IsABarrierWithAMaskOfFewerKeys) {
  EXPECT_EQ(barrier_of(masked("1")), "its mask is not of as many keys as there are");
}

// What comes of keys and values is read, so it is written as several operators.
ModelMaker attention_of(const std::vector<std::string>& q, const std::vector<std::string>& k, const std::vector<std::string>& v) {
  ModelMaker maker(23);
  maker.input("q", q).input("k", k).input("v", v).node("Attention", {"q", "k", "v"}, {"y", "present_k", "present_v"});
  return maker;
}

TEST(AttentionWithPast, IsABarrierWhereItsRanksDiffer) {
  ModelMaker named = attention_of({"1", "4", "16"}, {"1", "2", "4", "8"}, {"1", "2", "4", "D"});
  EXPECT_EQ(barrier_of(named.with("q_num_heads", 2).with("kv_num_heads", 2).output("present_k")), "Q, K and V are not of one rank");
  ModelMaker numbers = attention_of({"1", "2", "4", "8"}, {"1", "2", "4", "8"}, {"1", "4", "16"});
  EXPECT_EQ(barrier_of(numbers.with("q_num_heads", 2).with("kv_num_heads", 2).output("present_k")),
            "Q, K and V are not of one rank");
}

TEST(AttentionWithPast, IsABarrierWhereItsResultIsMoreThanIsCounted) {
  const std::string many = std::to_string(std::int64_t{1} << 40);
  ModelMaker maker = attention_of({"1", "1", many}, {"1", "1", "1"}, {"1", "1", many});
  maker.with("q_num_heads", std::int64_t{1} << 40).with("kv_num_heads", 1).output("present_k");
  EXPECT_TRUE(has(barrier_of(maker), "more than 2^62 elements")) << barrier_of(maker);
}

}  // namespace
}  // namespace fuselab
