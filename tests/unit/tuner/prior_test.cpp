// SPDX-License-Identifier: Apache-2.0
#include "tuner/prior.h"

#include <gtest/gtest.h>

namespace fuselab::tuner {
namespace {

using Number = std::int64_t;

ParameterSpace product_space() {
  ParameterSpace space;
  for (const char* name : {"tile_m", "tile_n"})
    EXPECT_TRUE(space.add(Parameter{name, "", {Number{16}, Number{32}, Number{64}, Number{128}}}).ok());
  EXPECT_TRUE(space.add(Parameter{"group", "", {Number{1}, Number{4}, Number{8}}}).ok());
  EXPECT_TRUE(space.add(Parameter{"warps", "", {Number{2}, Number{4}, Number{8}}}).ok());
  EXPECT_TRUE(space.add(Parameter{"precision", "", {std::string("ieee"), std::string("tf32x3")}}).ok());
  EXPECT_TRUE(space.add(Constraint{"tile_m * tile_n <= 8192", "the tile fits"}).ok());
  return space;
}

LaunchConfig start() {
  return LaunchConfig::parse("group=8,precision=ieee,tile_m=32,tile_n=32,warps=4").value();
}

std::vector<std::string> prior_texts(std::initializer_list<const char*> found, std::size_t most = 8) {
  std::vector<LaunchConfig> configs;
  for (const char* text : found) configs.push_back(LaunchConfig::parse(text).value());
  std::vector<std::string> texts;
  for (const LaunchConfig& each : prior_in(product_space(), start(), configs, most)) texts.push_back(each.text());
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Prior, KnowsTheNamesOfTritonsExamples) {
  EXPECT_EQ(prior_texts({"BLOCK_SIZE_M=128,BLOCK_SIZE_N=64,GROUP_SIZE_M=4,num_warps=8,num_stages=3"}),
            Texts{"group=4,precision=ieee,tile_m=128,tile_n=64,warps=8"});
  EXPECT_EQ(prior_texts({"BLOCK_M=64,BLOCK_N=16"}), Texts{"group=8,precision=ieee,tile_m=64,tile_n=16,warps=4"});
  EXPECT_EQ(prior_texts({"tile_m=64,precision=tf32x3"}), Texts{"group=8,precision=tf32x3,tile_m=64,tile_n=32,warps=4"});
}

TEST(Prior, TakesTheNearestValueByRatio) {
  EXPECT_EQ(prior_texts({"BLOCK_M=256,BLOCK_N=24"}), Texts{"group=8,precision=ieee,tile_m=128,tile_n=32,warps=4"});
  EXPECT_EQ(prior_texts({"tile_m=1,precision=other"}), Texts{"group=8,precision=ieee,tile_m=16,tile_n=32,warps=4"});
}

TEST(Prior, TakesThoseThatNameMostFirstAndNoneThatNamesWarpsAlone) {
  EXPECT_EQ(prior_texts({"num_warps=8,num_stages=2,XBLOCK=64"}), Texts{}) << "every kernel of Triton has these";
  EXPECT_EQ(prior_texts({"BLOCK_M=64", "BLOCK_M=16,BLOCK_N=64"}, 1), Texts{"group=8,precision=ieee,tile_m=16,tile_n=64,warps=4"});
  EXPECT_EQ(prior_texts({"BLOCK_M=-9223372036854775807"}), Texts{"group=8,precision=ieee,tile_m=16,tile_n=32,warps=4"});
}

TEST(Prior, LeavesOutWhatIsInvalidEqualOrOfAnotherKernel) {
  EXPECT_EQ(prior_texts({"BLOCK_M=128,BLOCK_N=128"}), Texts{}) << "the constraint";
  EXPECT_EQ(prior_texts({"XBLOCK=128,unroll=3"}), Texts{}) << "no name of the space";
  EXPECT_EQ(prior_texts({"tile_m=32"}), Texts{}) << "the start itself";
  EXPECT_EQ(prior_texts({"tile_m=64", "BLOCK_M=64", "tile_m=16"}, 2).size(), 2U);
  EXPECT_EQ(prior_texts({"tile_m=64", "tile_m=16", "tile_m=128"}, 2).size(), 2U);
}

}  // namespace
}  // namespace fuselab::tuner
