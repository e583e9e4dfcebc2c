// SPDX-License-Identifier: Apache-2.0
#include "core/select/piece_signature.h"

#include <gtest/gtest.h>

#include "core/graph/graph_text.h"

namespace fuselab {
namespace {

std::string signature_of(std::string_view text) {
  const auto graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  return piece_signature(canonical_text(graph.value()));
}

TEST(PieceSignature, IsTheSameAtOtherExtents) {
  EXPECT_EQ(signature_of("graph(i0: f32[8,16], p0: param f32[16]) { v0 = Add(i0, p0); return v0 }"),
            signature_of("graph(i0: f32[4096,1024], p0: param f32[1024]) { v0 = Add(i0, p0); return v0 }"));
  EXPECT_EQ(signature_of("graph(i0: f32[8,16]) { v0 = Reshape(i0, shape=[128]); v1 = Relu(v0); return v1 }"),
            signature_of("graph(i0: f32[4,16]) { v0 = Reshape(i0, shape=[64]); v1 = Relu(v0); return v1 }"));
}

TEST(PieceSignature, ABatchOfOneIsABatch) {
  EXPECT_EQ(signature_of("graph(i0: f32[1,16], p0: param f32[16]) { v0 = Add(i0, p0); return v0 }"),
            signature_of("graph(i0: f32[8,16], p0: param f32[16]) { v0 = Add(i0, p0); return v0 }"));
  EXPECT_EQ(signature_of("graph(i0: f32[1,16], i1: f32[1,16]) { v0 = Add(i0, i1); return v0 }"),
            signature_of("graph(i0: f32[8,16], i1: f32[8,16]) { v0 = Add(i0, i1); return v0 }"));
  EXPECT_NE(signature_of("graph(i0: f32[8,16], i1: f32[1,16]) { v0 = Add(i0, i1); return v0 }"),
            signature_of("graph(i0: f32[8,16], i1: f32[8,16]) { v0 = Add(i0, i1); return v0 }"));
}

TEST(PieceSignature, TellsTypesOperatorsBroadcastsAndKernelsApart) {
  const std::string add = signature_of("graph(i0: f32[8,16], i1: f32[8,16]) { v0 = Add(i0, i1); return v0 }");
  EXPECT_NE(add, signature_of("graph(i0: f64[8,16], i1: f64[8,16]) { v0 = Add(i0, i1); return v0 }"));
  EXPECT_NE(add, signature_of("graph(i0: f32[8,16], i1: f32[8,16]) { v0 = Mul(i0, i1); return v0 }"));
  EXPECT_NE(add, signature_of("graph(i0: f32[8,16], i1: f32[8,1]) { v0 = Add(i0, i1); return v0 }"));
  EXPECT_NE(signature_of("graph(i0: f32[1,8,16,16], p0: param f32[8,8,3,3]) { v0 = Conv(i0, p0); return v0 }"),
            signature_of("graph(i0: f32[1,8,16,16], p0: param f32[8,8,5,5]) { v0 = Conv(i0, p0); return v0 }"));
  EXPECT_NE(signature_of("graph(i0: f32[2,3,4]) { v0 = Transpose(i0, perm=[0,2,1]); return v0 }"),
            signature_of("graph(i0: f32[2,3,4]) { v0 = Transpose(i0, perm=[1,0,2]); return v0 }"));
}

TEST(PieceSignature, SurvivesTextThatIsNoGraph) {
  EXPECT_EQ(piece_signature(""), "");
  EXPECT_EQ(piece_signature("["), "[");
  EXPECT_EQ(piece_signature("a[12"), "a[_");
  EXPECT_EQ(piece_signature("x=\"[1,2]\""), "x=\"[1,2]\"");
}

}  // namespace
}  // namespace fuselab
