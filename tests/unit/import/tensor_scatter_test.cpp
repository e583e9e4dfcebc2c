// SPDX-License-Identifier: Apache-2.0
#include "evaluated.h"

namespace fuselab {
namespace {

using testing::barrier_of;
using testing::error_of;
using testing::evaluated;
using testing::has;
using testing::ModelMaker;
using testing::some_numbers;

using Numbers = std::vector<double>;

ModelMaker scatter(const std::string& mode, std::vector<std::string> update = {"2", "2", "3"}) {
  ModelMaker maker(24);
  maker.input("past", {"2", "4", "3"}).input("update", update).input("at", {"2"}, 7);
  maker.node("TensorScatter", {"past", "update", "at"}, {"y"}).with_text("mode", mode).output("y");
  return maker;
}

// ONNX's own words for it: each new entry is written at its batch's position, one behind the other.
Numbers written(Numbers cache, const Numbers& update, const std::vector<int>& at, bool circular) {
  for (int batch = 0; batch < 2; ++batch) {
    for (int entry = 0; entry < 2; ++entry) {
      int position = at[static_cast<std::size_t>(batch)] + entry;
      if (circular) position %= 4;
      for (int i = 0; i < 3 && position < 4; ++i)
        cache[static_cast<std::size_t>((batch * 4 + position) * 3 + i)] =
            update[static_cast<std::size_t>((batch * 2 + entry) * 3 + i)];
    }
  }
  return cache;
}

TEST(TensorScatter, WritesAtEachBatchsOwnPosition) {
  const Numbers cache = some_numbers(24), update{101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112};
  for (const auto& at : {std::vector{0, 2}, std::vector{1, 0}, std::vector{2, 2}}) {
    EXPECT_EQ(evaluated(scatter("linear"), {cache, update, {Numbers(at.begin(), at.end())}}), written(cache, update, at, false));
  }
  for (const auto& at : {std::vector{3, 0}, std::vector{3, 7}}) {
    EXPECT_EQ(evaluated(scatter("circular"), {cache, update, {Numbers(at.begin(), at.end())}}), written(cache, update, at, true));
  }
}

TEST(TensorScatter, WritesNothingBehindTheEnd) {
  const Numbers cache = some_numbers(24), update(12, 5.0);
  EXPECT_EQ(evaluated(scatter("linear"), {cache, update, {3.0, 4.0}}), written(cache, update, {3, 4}, false));
}

TEST(TensorScatter, BeginsAtTheFrontWithoutPositions) {
  ModelMaker maker(24);
  maker.input("past", {"2", "4", "3"}).input("update", {"2", "2", "3"});
  maker.node("TensorScatter", {"past", "update"}, {"y"}).output("y");
  const Numbers cache = some_numbers(24), update(12, 5.0);
  EXPECT_EQ(evaluated(maker, {cache, update}), written(cache, update, {0, 0}, false));
}

TEST(TensorScatter, WritesAlongAnotherAxis) {
  ModelMaker maker(24);
  maker.input("past", {"1", "2", "3"}).input("update", {"1", "2", "1"}).input("at", {"1"}, 7);
  maker.node("TensorScatter", {"past", "update", "at"}, {"y"}).with("axis", -1).output("y");
  EXPECT_EQ(evaluated(maker, {{1, 2, 3, 4, 5, 6}, {8, 9}, {2}}), (Numbers{1, 2, 8, 4, 5, 9}));
}

TEST(TensorScatter, RefusesWhatDoesNotFit) {
  EXPECT_TRUE(has(error_of(scatter("elliptic")), "there are linear and circular"));
  EXPECT_TRUE(has(error_of(scatter("linear", {"2", "5", "3"})), "writes 5 entries into a cache of 4"));
  EXPECT_TRUE(has(error_of(scatter("linear", {"2", "2", "4"})), "writes f32[2,2,4] into f32[2,4,3]"));
  EXPECT_TRUE(has(error_of(scatter("linear").with("axis", 0)), "writes along axis 0"));
  EXPECT_EQ(barrier_of(scatter("linear", {"2", "n", "3"})), "its extents are not known");
}

}  // namespace
}  // namespace fuselab
