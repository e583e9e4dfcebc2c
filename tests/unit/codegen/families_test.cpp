// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/families.h"

#include <gtest/gtest.h>

#include "core/graph/graph_text.h"

namespace fuselab::codegen {
namespace {

const Target kTarget{"x86-64-v3", "x86-64", {{"vector_bytes", 32}, {"cores", 2}, {"l3_bytes", 32 << 20}}};

struct Refused {
  const char* family;  // that the graph's operators belong to
  const char* graph;   // beyond what it generates
};

constexpr Refused kRefused[] = {
    {"attention", "graph(q: f32[1,2,8,8], k: f32[1,2,8,8], v: f32[1,2,8,8]) { a = Attention(q, k, v); y = Relu(a); return y }"},
    {"contraction", "graph(x: f32[8,8], w: f32[8,8]) { p = MatMul(x, w); y = MatMul(p, w); return y }"},
    {"pool", "graph(x: f32[1,2,9,9]) { p = MaxPool(x, kernel_shape=[3,3]); y = MaxPool(p, kernel_shape=[3,3]); return y }"},
    {"movement", "graph(x: f32[8,9]) { t = Transpose(x, perm=[1,0]); y = Concat(t, t, axis=0); return y }"},
    {"rows", "graph(x: f32[n,8]) { y = Relu(x); return y }"},
};

TEST(FindFamily, SaysWhyTheFittingFamilyDoesNotAndNothingOfTheOthers) {
  for (const Refused& refused : kRefused) {
    const auto found = find_family(parse_graph(refused.graph).value(), kTarget);
    ASSERT_FALSE(found.ok()) << refused.graph;
    EXPECT_EQ(found.error().code, ErrorCode::kUnsupported);
    const std::string& reason = found.error().message;
    for (const Family& family : families()) {
      const bool named = reason.find(std::string(family.name) + ": ") != std::string::npos;
      EXPECT_EQ(named, family.name == refused.family) << reason;
    }
    EXPECT_GT(reason.size(), std::string(refused.family).size() + 10) << reason;
  }
}

// By elements they would be right as well, at a hundredth of the speed.
TEST(FindFamily, GivesConvolutionsOverOneToThreeAxesTheFamilyOfConvolutions) {
  for (const char* graph : {
           "graph(x: f32[1,8,99], w: param f32[32,8,5]) { y = Conv(x, w, pads=[2,2], dilations=[1]); z = Relu(y); return z }",
           "graph(x: f32[1,8,9,9], w: param f32[32,8,3,3]) { y = Conv(x, w, pads=[1,1,1,1]); z = Relu(y); return z }",
           "graph(x: f32[2,8,4,9,9], w: param f32[32,4,3,3,3]) { y = Conv(x, w, pads=[1,1,1,1,1,1], group=2); z = Relu(y); return "
           "z }",
           "graph(x: f32[1,8,4,9,9], w: f32[32,8,2,1,1]) { y = Conv(x, w, strides=[2,1,1]); z = Relu(y); return z }",
       }) {
    const auto found = find_family(parse_graph(graph).value(), kTarget);
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_EQ(found.value()->name, "convolution") << graph;
  }
}

}  // namespace
}  // namespace fuselab::codegen
