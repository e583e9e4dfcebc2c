// SPDX-License-Identifier: Apache-2.0
#include "backends/library/product_call.h"

#include <gtest/gtest.h>

#include "tests/support/graph_builder.h"

namespace fuselab::library {
namespace {

TEST(ProductCall, IsTheTransposedProductOfColumnMajorMatrices) {
  const auto call = product_call_of(
      testing::graph_from("graph(x: f32[5,7], y: f32[9,7], b: f32[9]) { p = Gemm(x, y, b, transB=1); v = Relu(p); return v }"),
      {"Acme", true, true});
  ASSERT_TRUE(call.ok()) << call.error().message;
  const ProductCall& made = call.value();
  EXPECT_EQ(made.rows, 9);
  EXPECT_EQ(made.columns, 5);
  EXPECT_EQ(made.depth, 7);
  EXPECT_EQ(made.a.argument, 1);
  EXPECT_TRUE(made.a.transposed);
  EXPECT_EQ(made.a.leading, 7);
  EXPECT_EQ(made.b.argument, 0);
  EXPECT_FALSE(made.b.transposed);
  EXPECT_EQ(made.b.leading, 7);
  EXPECT_EQ(made.d.leading, 9);
  EXPECT_EQ(made.bias, 2);
  EXPECT_EQ(made.end, ProductEnd::kRelu);
  EXPECT_EQ(made.covers, "Gemm+Relu");
}

TEST(ProductCall, MultipliesABatchByOneMatrixAsOneProduct) {
  const auto call =
      product_call_of(testing::graph_from("graph(x: f32[3,5,7], y: f32[7,9]) { p = MatMul(x, y); return p }"), {"Acme"});
  ASSERT_TRUE(call.ok()) << call.error().message;
  EXPECT_EQ(call.value().batch, 1);
  EXPECT_EQ(call.value().columns, 15);
}

TEST(ProductCall, NamesWhatALibraryLacks) {
  const auto reason = [](const char* text) { return product_call_of(testing::graph_from(text), {"Acme"}).error().message; };
  EXPECT_EQ(reason("graph(x: f32[5,7], y: f32[7,9], b: f32[9]) { p = MatMul(x, y); v = Add(p, b); return v }"),
            "Add: Acme adds matrices of the product's shape, no bias");
  EXPECT_EQ(reason("graph(x: f32[5,7], y: f32[7,9]) { p = MatMul(x, y); v = Relu(p); return v }"),
            "Relu: Acme computes no activation");
}

}  // namespace
}  // namespace fuselab::library
