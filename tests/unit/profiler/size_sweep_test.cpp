// SPDX-License-Identifier: Apache-2.0
// Which piece of a smaller cut is measured in the place of the profiled one.
#include "app/engine/profile/size_sweep.h"

#include <gtest/gtest.h>

namespace fuselab::engine {
namespace {

std::vector<Piece> pieces(std::initializer_list<const char*> graphs) {
  std::vector<Piece> made;
  for (const char* const text : graphs) made.push_back(piece_of(text, "p", FusionPatternType{}).value());
  return made;
}

constexpr const char* kWide = "graph(i0: f32[64,512]) { v0 = Relu(i0); return v0 }";
constexpr const char* kNarrow = "graph(i0: f32[64,128]) { v0 = Relu(i0); return v0 }";
constexpr const char* kOther = "graph(i0: f32[64,512]) { v0 = Tanh(i0); return v0 }";

TEST(SizeSweep, TakesThePieceThatWasProfiledAndNotTheFirstOfItsKind) {
  const auto whole = pieces({kOther, kWide, kNarrow});
  const auto smaller =
      pieces({"graph(i0: f32[8,512]) { v0 = Tanh(i0); return v0 }", "graph(i0: f32[8,512]) { v0 = Relu(i0); return v0 }",
              "graph(i0: f32[8,128]) { v0 = Relu(i0); return v0 }"});
  EXPECT_EQ(counterpart(whole[0], whole, smaller), &smaller[0]);
  EXPECT_EQ(counterpart(whole[1], whole, smaller), &smaller[1]);
  EXPECT_EQ(counterpart(whole[2], whole, smaller), &smaller[2]);
}

TEST(SizeSweep, TakesNoneWhereTheCutsDiffer) {
  const auto whole = pieces({kWide, kNarrow});
  EXPECT_EQ(counterpart(whole[1], whole, pieces({kWide})), nullptr);
  EXPECT_EQ(counterpart(pieces({kOther})[0], whole, whole), nullptr);
}

}  // namespace
}  // namespace fuselab::engine
