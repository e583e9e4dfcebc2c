// SPDX-License-Identifier: Apache-2.0
// What a file leaves open gets a name that can be bound.
#include "model_maker.h"

namespace fuselab {
namespace {

using testing::imported;
using testing::ModelMaker;
using testing::output_type;

TEST(ImportedSymbols, NamesThatBecomeOneWordAreToldApart) {
  const auto model =
      imported(ModelMaker().input("x", {"a.b", "a_b", "a-b"}).node("Relu", {"x"}, {"y"}).output("y", {"a.b", "a_b", "a-b"}));
  EXPECT_EQ(output_type(model.graph), "f32[a_b_2,a_b,a_b_3]") << "whose name is a word already keeps it";
  ASSERT_EQ(model.notes.size(), 2u);
  EXPECT_EQ(model.notes[0], "dimension 'a.b' is called a_b_2 here");
  EXPECT_EQ(model.notes[1], "dimension 'a-b' is called a_b_3 here");
}

TEST(ImportedSymbols, OneNameIsOneSymbolWhereverItStands) {
  const auto model = imported(ModelMaker()
                                  .input("x", {"batch.size", "4"})
                                  .input("z", {"batch.size", "4"})
                                  .node("Add", {"x", "z"}, {"y"})
                                  .output("y", {"batch.size", "4"}));
  EXPECT_EQ(output_type(model.graph), "f32[batch_size,4]");
  EXPECT_TRUE(model.notes.empty());
}

TEST(ImportedSymbols, LongNamesAreCutToWhatCanBeBound) {
  const std::string stem(70, 's');
  const auto model =
      imported(ModelMaker().input("x", {stem + "1", stem + "2"}).node("Relu", {"x"}, {"y"}).output("y", {stem + "1", stem + "2"}));
  const auto symbols = model.graph.symbols();
  ASSERT_EQ(symbols.size(), 2u) << "they stay two";
  for (const std::string& symbol : symbols) {
    const auto bindings = parse_bindings(symbol + "=4");
    EXPECT_TRUE(bindings.ok()) << bindings.error().message;
  }
  EXPECT_TRUE(bind(model.graph, {{symbols[0], 4}, {symbols[1], 8}}).ok());
}

TEST(ImportedSymbols, AnExtentOfMinusOneIsOpen) {
  const auto model = imported(ModelMaker().input("x", {"-1", "4"}).node("Relu", {"x"}, {"y"}).output("y", {"-1", "4"}));
  EXPECT_EQ(output_type(model.graph), "f32[x_0,4]");
}

TEST(ImportedSymbols, AnOpenExtentIsNobodyElses) {
  const auto model = imported(ModelMaker().input("x", {"", "x_0"}).node("Relu", {"x"}, {"y"}).output("y"));
  EXPECT_EQ(output_type(model.graph), "f32[x_0_2,x_0]");
}

}  // namespace
}  // namespace fuselab
