// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/row_family.h"

#include <gtest/gtest.h>

#include "core/graph/graph_text.h"

namespace fuselab::codegen {
namespace {

const Target kRowTarget{"x86-64-v3", "x86-64", {{"vector_bytes", 32}, {"cores", 2}, {"l3_bytes", 32 << 20}}};

std::int64_t default_of(const char* axis, const char* text, const Target& target = kRowTarget) {
  const Graph graph = parse_graph(text).value();
  const Family family = row_family();
  EXPECT_TRUE(family.space(graph, target).check(family.default_config(graph, target)).ok());
  return family.default_config(graph, target).integer(axis, -1);
}

TEST(RowFamily, StoresPastTheCachesOnlyWhatOutgrowsThem) {
  EXPECT_EQ(default_of("nontemporal", "graph(x: f32[4096,4096]) { y = Softmax(x); return y }"), 1);
  EXPECT_EQ(default_of("nontemporal", "graph(x: f32[1024,4096]) { y = Softmax(x); return y }"), 0);
}

TEST(RowFamily, AsksForTheNextRowWhereRowsAreLongAndManyAndReadMoreThanOnce) {
  const Target target{"x86-64-v3", "x86-64", {{"vector_bytes", 32}, {"l1_bytes", 32 << 10}, {"l2_bytes", 1 << 20}}};
  EXPECT_EQ(default_of("prefetch", "graph(x: f32[4096,4096]) { y = Softmax(x); return y }", target), 1);
  EXPECT_EQ(default_of("prefetch", "graph(x: f32[16384,1024]) { y = Softmax(x); return y }", target), 0);
  EXPECT_EQ(default_of("prefetch", "graph(x: f32[16,4096]) { y = Softmax(x); return y }", target), 0);
  constexpr int kNotOffered = -1;
  EXPECT_EQ(default_of("prefetch", "graph(x: f32[65536,256]) { y = Softmax(x); return y }", target), kNotOffered);
  EXPECT_EQ(default_of("prefetch", "graph(x: f32[4096,4096]) { y = ReduceSum(x, axes=[1]); return y }", target), kNotOffered);
}

TEST(RowFamily, KeepsForALaterWalkWhatTakesWorkToComputeAgain) {
  EXPECT_EQ(default_of("stage", "graph(x: f32[512,768]) { y = Softmax(x); return y }"), 1);
  EXPECT_EQ(default_of("stage",
                       "graph(x: f32[512,768], z: f32[512,768], s: f32[768]) {"
                       " v = Add(x, z); y = RMSNormalization(v, s); return y }"),
            1);
  EXPECT_EQ(default_of("stage", "graph(x: f32[512,768], s: f32[768]) { y = LayerNormalization(x, s); return y }"), 0);
}

TEST(RowFamily, StoresPlainlyWhereRowsAreNotAlignedOrCachesUnknown) {
  EXPECT_EQ(default_of("nontemporal", "graph(x: f32[4096,4099]) { y = Softmax(x); return y }"), 0);
  const Target unknown{"x86-64-v3", "x86-64", {{"vector_bytes", 32}, {"cores", 2}}};
  EXPECT_EQ(default_of("nontemporal", "graph(x: f32[4096,4096]) { y = Softmax(x); return y }", unknown), 0);
}

}  // namespace
}  // namespace fuselab::codegen
