// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/import/evaluated.h"

namespace fuselab {
namespace {

using testing::barrier_of;
using testing::error_of;
using testing::evaluated;
using testing::expect_close;
using testing::has;
using testing::imported;
using testing::ModelMaker;
using testing::operators_of;
using testing::output_type;

ModelMaker tiled(const std::vector<std::string>& extents, const std::vector<std::int64_t>& repeats) {
  return ModelMaker().input("x", extents).integers("r", repeats).node("Tile", {"x", "r"}, {"y"}).output("y");
}

TEST(Tile, RepeatsWholeAxes) {
  expect_close(evaluated(tiled({"2", "2"}, {2, 2}), {{1, 2, 3, 4}}), {1, 2, 1, 2, 3, 4, 3, 4, 1, 2, 1, 2, 3, 4, 3, 4});
  expect_close(evaluated(tiled({"1", "2"}, {3, 1}), {{1, 2}}), {1, 2, 1, 2, 1, 2});
  EXPECT_EQ(operators_of(imported(tiled({"1", "2"}, {3, 1})).graph), "Expand");
  EXPECT_EQ(operators_of(imported(tiled({"2", "2"}, {1, 1})).graph), "Identity");
}

TEST(Tile, AxesThatAreNotRepeatedMayBeSymbols) {
  EXPECT_EQ(output_type(imported(tiled({"batch", "2", "1"}, {1, 3, 4})).graph), "f32[batch,6,4]");
  EXPECT_EQ(barrier_of(tiled({"batch", "2"}, {2, 1})), "the extent that 'batch' is repeated to has no name");
}

TEST(Tile, WhatItCannotRepeatIsSaid) {
  EXPECT_TRUE(has(error_of(tiled({"2", "2"}, {2})), "1 repeats for rank 2"));
  EXPECT_TRUE(has(error_of(tiled({"2"}, {-1})), "-1 times"));
  EXPECT_TRUE(has(error_of(tiled({"4"}, {INT64_MAX})), "more than can be counted"));
  EXPECT_EQ(barrier_of(tiled({"2"}, {0})), "its result has no elements");
  EXPECT_TRUE(has(barrier_of(tiled({"2", "2", "2", "2", "2"}, {2, 2, 2, 2, 2})), "more than 8 dimensions"));
}

TEST(Tile, OneAxisBeforeOpset6) {
  ModelMaker maker(1);
  maker.input("x", {"2", "2"}).integers("tiles", {2}).integers("axis", {1});
  maker.node("Tile", {"x", "tiles", "axis"}, {"y"}).output("y");
  expect_close(evaluated(maker, {{1, 2, 3, 4}}), {1, 2, 1, 2, 3, 4, 3, 4});
}

ModelMaker blocks(const std::string& op, const std::vector<std::string>& extents, std::int64_t size) {
  return ModelMaker().input("x", extents).node(op, {"x"}, {"y"}).with("blocksize", size).output("y");
}

TEST(Blocks, DepthToSpaceAndBack) {
  expect_close(evaluated(blocks("DepthToSpace", {"1", "8", "1", "1"}, 2), {{0, 1, 2, 3, 4, 5, 6, 7}}), {0, 2, 4, 6, 1, 3, 5, 7});
  expect_close(evaluated(blocks("DepthToSpace", {"1", "8", "1", "1"}, 2).with_text("mode", "CRD"), {{0, 1, 2, 3, 4, 5, 6, 7}}),
               {0, 1, 2, 3, 4, 5, 6, 7});
  expect_close(evaluated(blocks("SpaceToDepth", {"1", "2", "2", "2"}, 2), {{0, 2, 4, 6, 1, 3, 5, 7}}), {0, 1, 2, 3, 4, 5, 6, 7});
}

TEST(Blocks, TheBatchMayBeASymbol) {
  EXPECT_EQ(output_type(imported(blocks("DepthToSpace", {"batch", "8", "3", "5"}, 2)).graph), "f32[batch,2,6,10]");
  EXPECT_EQ(output_type(imported(blocks("SpaceToDepth", {"batch", "2", "4", "6"}, 2)).graph), "f32[batch,8,2,3]");
  EXPECT_EQ(barrier_of(blocks("SpaceToDepth", {"1", "2", "h", "6"}, 2)), "its extents are not known");
}

TEST(Blocks, WhatDoesNotFitIsAnError) {
  EXPECT_TRUE(has(error_of(blocks("DepthToSpace", {"1", "6", "2", "2"}, 2)), "from 6 channels"));
  EXPECT_TRUE(has(error_of(blocks("SpaceToDepth", {"1", "2", "3", "2"}, 2)), "into blocks of 2"));
  EXPECT_TRUE(has(error_of(blocks("SpaceToDepth", {"batch", "4611686018427387904", "2", "2"}, 2)), "can be counted"));
  EXPECT_TRUE(has(error_of(blocks("DepthToSpace", {"1", "6", "2"}, 2)), "needs X [N,C,H,W]"));
  EXPECT_TRUE(has(error_of(blocks("DepthToSpace", {"1", "4", "2", "2"}, 0)), "its blocksize is 0"));
  EXPECT_TRUE(has(error_of(blocks("DepthToSpace", {"1", "4", "2", "2"}, 2).with_text("mode", "XYZ")), "DCR or CRD"));
}

}  // namespace
}  // namespace fuselab
