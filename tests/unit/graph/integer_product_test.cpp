// SPDX-License-Identifier: Apache-2.0
#include "core/cost/integer_product.h"

#include <gtest/gtest.h>

#include "tests/support/graph_builder.h"

namespace fuselab {
namespace {

// The product of the graph's only MatMul, as text: operands with their zero points, extents, how many operators make them.
std::string byte_product_in(const char* text) {
  const Graph graph = testing::graph_from(text);
  for (const Node& node : graph.nodes()) {
    if (node.op != Op::kMatMul) continue;
    const auto found = integer_product_of(graph, node);
    if (!found) return "none";
    std::string told;
    for (const ByteOperand& each : {found->a, found->b}) {
      told += graph.value(each.bytes).name + ":" + std::string(name_of(each.dtype));
      if (each.zero) told += "-" + graph.value(*each.zero).name + (each.one_zero ? "" : "[]");
      if (each.zero_number != 0) told += "-" + std::to_string(each.zero_number);
      told += " ";
    }
    return told + std::to_string(found->rows) + "x" + std::to_string(found->columns) + "x" + std::to_string(found->depth) + " of " +
           std::to_string(found->makers.size());
  }
  return "no product";
}

TEST(IntegerProducts, AreFoundBehindCasts) {
  EXPECT_EQ(byte_product_in(
                R"(graph(x: u8[4,8], w: i8[8,3]) { a = Cast(x, to="i32"); b = Cast(w, to="i32"); y = MatMul(a, b); return y })"),
            "x:u8 w:i8 4x3x8 of 2");
  EXPECT_EQ(byte_product_in(
                R"(graph(x: i8[2,4,8], w: u8[8,3]) { a = Cast(x, to="i32"); b = Cast(w, to="i32"); y = MatMul(a, b); return y })"),
            "x:i8 w:u8 8x3x8 of 2")
      << "the rows of a batch";
}

TEST(IntegerProducts, HaveZeroPoints) {
  EXPECT_EQ(
      byte_product_in(R"(graph(x: u8[4,8], z: u8[], w: i8[8,3]) { a = Cast(x, to="i32"); z32 = Cast(z, to="i32"); c = Sub(a, z32);
    b = Cast(w, to="i32"); y = MatMul(c, b); return y })"),
      "x:u8-z w:i8 4x3x8 of 4");
  EXPECT_EQ(byte_product_in(R"(graph(x: u8[4,8], z: u8[4], w: i8[8,3], v: i8[3]) { a = Cast(x, to="i32"); z32 = Cast(z, to="i32");
    zc = Unsqueeze(z32, axes=[1]); c = Sub(a, zc); b = Cast(w, to="i32"); v32 = Cast(v, to="i32"); d = Sub(b, v32);
    y = MatMul(c, d); return y })"),
            "x:u8-z[] w:i8-v[] 4x3x8 of 7")
      << "one for each row of A, and for each column of B";
  EXPECT_EQ(
      byte_product_in(R"(graph(x: u8[4,8], w: i8[8,3]) { z = Constant(value=7, dtype="i32"); a = Cast(x, to="i32"); c = Sub(a, z);
    b = Cast(w, to="i32"); y = MatMul(c, b); return y })"),
      "x:u8-7 w:i8 4x3x8 of 3");
}

TEST(IntegerProducts, AreNothingElse) {
  EXPECT_EQ(byte_product_in("graph(x: i32[4,8], w: i32[8,3]) { y = MatMul(x, w); return y }"), "none");
  EXPECT_EQ(byte_product_in(
                R"(graph(x: u8[4,8], w: i8[8,3]) { a = Cast(x, to="f32"); b = Cast(w, to="f32"); y = MatMul(a, b); return y })"),
            "none");
  EXPECT_EQ(byte_product_in(
                R"(graph(x: u8[4,8], w: i8[2,8,3]) { a = Cast(x, to="i32"); b = Cast(w, to="i32"); y = MatMul(a, b); return y })"),
            "none")
      << "more than one B";
  EXPECT_EQ(
      byte_product_in(R"(graph(x: u8[4,8], z: u8[8], w: i8[8,3]) { a = Cast(x, to="i32"); z32 = Cast(z, to="i32"); c = Sub(a, z32);
    b = Cast(w, to="i32"); y = MatMul(c, b); return y })"),
      "none")
      << "a zero point for each column of A";
}

}  // namespace
}  // namespace fuselab
