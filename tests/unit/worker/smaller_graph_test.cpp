// SPDX-License-Identifier: Apache-2.0
#include "app/worker/emulation/smaller_graph.h"

#include <gtest/gtest.h>

#include <functional>

#include "core/graph/graph_text.h"

namespace fuselab::worker {
namespace {

std::string smaller(
    const char* text, const std::function<bool(const Graph&)>& accepts = [](const Graph&) { return true; }) {
  return canonical_text(smaller_graph(parse_graph(text).value(), accepts));
}

std::string same(const char* text) {
  return canonical_text(parse_graph(text).value());
}

TEST(SmallerGraph, LeavesWhatDividesAnExtentItsDivisor) {
  EXPECT_EQ(smaller("graph(x: f32[128,768], w: f32[768,768]) { m = MatMul(x, w); r = Reshape(m, shape=[128,12,64]); "
                    "t = Transpose(r, perm=[1,0,2]); return t }"),
            same("graph(x: f32[16,192], w: f32[192,192]) { m = MatMul(x, w); r = Reshape(m, shape=[16,12,16]); "
                 "t = Transpose(r, perm=[1,0,2]); return t }"));
}

TEST(SmallerGraph, ShrinksBothFactorsOfAProduct) {
  EXPECT_EQ(
      smaller("graph(x: f32[1,128,2048], w: f32[2048,2048]) { m = MatMul(x, w); r = Reshape(m, shape=[0,0,32,64]); return r }"),
      same("graph(x: f32[1,16,256], w: f32[256,256]) { m = MatMul(x, w); r = Reshape(m, shape=[0,0,16,16]); return r }"));
}

TEST(SmallerGraph, ShrinksThePartsOfASplitWithTheirSum) {
  EXPECT_EQ(smaller("graph(x: f32[4,96]) { a, b = Split(x, axis=1, split=[64,32]); return a, b }"),
            same("graph(x: f32[4,48]) { a, b = Split(x, axis=1, split=[32,16]); return a, b }"));
}

TEST(SmallerGraph, TakesAnOddNumberForAPrime) {
  EXPECT_EQ(smaller("graph(x: f32[1009]) { y = Relu(x); return y }"), same("graph(x: f32[13]) { y = Relu(x); return y }"));
}

// Else an image of 56 columns would be gathered element by element where the original is copied in parts.
TEST(SmallerGraph, KeepsPowersOfTwoWhereNothingDividesTheExtent) {
  EXPECT_EQ(smaller("graph(x: f32[56,28]) { y = Relu(x); return y }"), same("graph(x: f32[24,12]) { y = Relu(x); return y }"));
}

TEST(SmallerGraph, LeavesWhatIsSmallOrNotAccepted) {
  const char* const kSmall = "graph(x: f32[16,3]) { y = Relu(x); return y }";
  EXPECT_EQ(smaller(kSmall), same(kSmall));
  const char* const kLarge = "graph(x: f32[256,256]) { y = Relu(x); return y }";
  EXPECT_EQ(smaller(kLarge, [](const Graph&) { return false; }), same(kLarge));
}

}  // namespace
}  // namespace fuselab::worker
