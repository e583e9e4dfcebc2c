// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/ir/ir.h"

#include <gtest/gtest.h>

#include "backends/codegen/emit/emit.h"
#include "backends/codegen/ir/names.h"
#include "backends/codegen/rows/row_address.h"

namespace fuselab::codegen {
namespace {

const ExprPtr kRow = variable("row", kIndex);

TEST(LoopIr, FoldsIndexConstantsAndNeutralElements) {
  EXPECT_EQ(constant_or(integer(6) * integer(7), 0), 42);
  EXPECT_EQ((kRow * integer(1)).get(), kRow.get());
  EXPECT_EQ((kRow + integer(0)).get(), kRow.get());
  EXPECT_EQ(constant_or(kRow * integer(0), -1), 0);
  EXPECT_EQ(constant_or(kRow % integer(1), -1), 0);
}

TEST(LoopIr, KeepsFloatingArithmeticAsWritten) {
  const IrType f32 = {DType::kF32, 8};
  const ExprPtr sum = variable("x", f32) + real(0.0, f32);
  EXPECT_EQ(sum->kind, Expr::Kind::kBinary) << "x + 0 is not x for x = -0";
}

TEST(LoopIr, AddressesDenseTensorsByTheRowAlone) {
  const ExprPtr dense = strided_offset({4, 5}, {50, 10}, kRow);
  ASSERT_EQ(dense->kind, Expr::Kind::kBinary);
  EXPECT_EQ(dense->text, "*");
  EXPECT_EQ(constant_or(dense->args[1], 0), 10);
  EXPECT_EQ(constant_or(strided_offset({4, 5}, {0, 0}, kRow), -1), 0);
}

TEST(Emitter, WritesLoopsStoresAndOnlyTheNeededPrelude) {
  Function function;
  function.entry = "k";
  function.parameters = {{"x", DType::kF32, false}, {"y", DType::kF32, true}};
  BodyBuilder builder(function.body);
  Body& loop = builder.loop(LoopKind::kVector, "col", integer(0), integer(64), integer(8));
  const IrType type = {DType::kF32, 8};
  const ExprPtr value = BodyBuilder(loop).declare("v", call("exp", type, {load("x", variable("col", kIndex), type, DType::kF32)}));
  BodyBuilder(loop).store({"y", variable("col", kIndex), value, DType::kF32, false});
  const std::string text = emit(function, c_dialect(), "// head\n");
  EXPECT_TRUE(text.starts_with("// head\n"));
  EXPECT_NE(text.find("for (int64_t col = 0; col + 8 <= 64; col += 8) {"), std::string::npos) << text;
  EXPECT_NE(text.find("const f32x8 v = exp_f32x8(load_f32x8(x + col));"), std::string::npos) << text;
  EXPECT_NE(text.find("store_f32x8(y + col, v);"), std::string::npos) << text;
  EXPECT_NE(text.find("static inline f32x8 exp_f32x8("), std::string::npos);
  EXPECT_EQ(text.find("tanh"), std::string::npos);
  EXPECT_EQ(text.find('$'), std::string::npos);
}

TEST(Emitter, PutsParenthesesOnlyWhereTheyAreNeeded) {
  Function function;
  function.entry = "k";
  BodyBuilder builder(function.body);
  const ExprPtr a = variable("a", kIndex);
  builder.declare("p", (a + integer(2)) * kRow);
  builder.declare("q", a - (kRow - integer(1)));
  builder.declare("r", a * integer(2) + kRow);
  const std::string text = emit(function, c_dialect(), "");
  EXPECT_NE(text.find("p = (a + 2) * row;"), std::string::npos) << text;
  EXPECT_NE(text.find("q = a - (row - 1);"), std::string::npos) << text;
  EXPECT_NE(text.find("r = a * 2 + row;"), std::string::npos) << text;
}

TEST(Names, AreNoneOfOpenClsOwn) {
  for (const char* const taken : {"barrier", "get_local_id", "float4", "uchar16", "half2", "NAN"}) {
    Names names;
    EXPECT_EQ(names.unique(taken), taken + std::string("_"));
  }
  Names names;
  EXPECT_EQ(names.unique("relu6"), "relu6");
  EXPECT_EQ(names.unique("x2"), "x2");
}

TEST(Names, AreValidIdentifiersAndUnique) {
  Names names;
  EXPECT_EQ(names.unique("/layer.0/Add"), "layer_0_Add");
  EXPECT_EQ(names.unique("layer.0.Add"), "layer_0_Add_2");
  EXPECT_EQ(names.unique("0"), "v0");
  EXPECT_EQ(names.unique("float"), "float_");
  EXPECT_EQ(names.unique("task"), "task_");
}

}  // namespace
}  // namespace fuselab::codegen
