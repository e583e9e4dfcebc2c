// SPDX-License-Identifier: Apache-2.0
// Einsum against its definition: the sum over all axes that the result has not, of the products of the operands.
#include <map>

#include "core/import/compositions/einsum_equation.h"
#include "evaluated.h"

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
using testing::some_numbers;

using Extents = std::vector<std::vector<std::int64_t>>;

ModelMaker einsum(const std::string& equation, const std::vector<std::vector<std::string>>& operands) {
  ModelMaker maker;
  std::vector<std::string> names;
  for (const auto& extents : operands) {
    names.push_back("x" + std::to_string(names.size()));
    maker.input(names.back(), extents);
  }
  return maker.node("Einsum", names, {"y"}).with_text("equation", equation).output("y");
}

ModelMaker einsum(const std::string& equation, const Extents& operands) {
  std::vector<std::vector<std::string>> texts;
  for (const auto& extents : operands) {
    texts.emplace_back();
    for (const std::int64_t extent : extents) texts.back().push_back(std::to_string(extent));
  }
  return einsum(equation, texts);
}

std::size_t count_of(const std::vector<std::int64_t>& extents) {
  std::size_t count = 1;
  for (const std::int64_t extent : extents) count *= static_cast<std::size_t>(extent);
  return count;
}

// Where the element lies that these places of named axes have; axes of one element are repeated.
std::size_t place_of(const onnx::AxisNames& names, const std::vector<std::int64_t>& extents,
                     const std::map<int, std::int64_t>& places) {
  std::size_t place = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    place = place * static_cast<std::size_t>(extents[i]) + static_cast<std::size_t>(extents[i] == 1 ? 0 : places.at(names[i]));
  }
  return place;
}

std::vector<double> by_definition(const std::string& text, const Extents& extents,
                                  const std::vector<std::vector<double>>& numbers) {
  std::vector<std::size_t> ranks;
  for (const auto& each : extents) ranks.push_back(each.size());
  const auto equation = onnx::parse_einsum(text, ranks).value();
  std::map<int, std::int64_t> extent_of, places;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    for (std::size_t i = 0; i < extents[k].size(); ++i) {
      auto& extent = extent_of[equation.operands[k][i]];
      extent = std::max(extent, extents[k][i]);
      places[equation.operands[k][i]] = 0;
    }
  }
  std::vector<std::int64_t> result;
  for (const int name : equation.result) result.push_back(extent_of[name]);
  std::vector<double> sums(count_of(result), 0.0);
  for (bool more = true; more;) {
    double product = 1;
    for (std::size_t k = 0; k < extents.size(); ++k) product *= numbers[k][place_of(equation.operands[k], extents[k], places)];
    sums[place_of(equation.result, result, places)] += product;
    more = false;
    for (auto& [name, place] : places) {
      if (++place < extent_of[name]) {
        more = true;
        break;
      }
      place = 0;
    }
  }
  return sums;
}

struct Case {
  const char* equation;
  Extents extents;
};

TEST(Einsum, IsItsDefinition) {
  const std::vector<Case> cases = {
      {"ij,jk->ik", {{2, 3}, {3, 4}}},
      {"ij,jk", {{2, 3}, {3, 4}}},
      {"ij,kj->ki", {{2, 3}, {4, 3}}},
      {"bhid,bhjd->bhij", {{2, 3, 4, 5}, {2, 3, 2, 5}}},
      {"bhij,bhjd->bihd", {{2, 3, 4, 5}, {2, 3, 5, 2}}},
      {"bijd,bdk->bkij", {{2, 3, 2, 4}, {2, 4, 3}}},
      {"abcd,dbe->aec", {{2, 3, 2, 2}, {2, 3, 4}}},
      {"i,j->ij", {{3}, {4}}},
      {"i,j->ji", {{3}, {4}}},
      {"bij,bij->bij", {{2, 3, 2}, {2, 3, 2}}},
      {"ij,ij->", {{2, 3}, {2, 3}}},
      {"ij,ij->i", {{2, 3}, {2, 3}}},
      {"ij,k->i", {{2, 3}, {4}}},
      {"...ij,...jk->...ik", {{2, 1, 2, 3}, {4, 3, 2}}},
      {"...i,ij->...j", {{2, 2, 3}, {3, 2}}},
      {"i...,i...->...", {{2, 3}, {2, 3}}},
      {"ij,jk,kl->il", {{2, 3}, {3, 4}, {4, 2}}},
      {"ii->i", {{3, 3}}},
      {"ii", {{3, 3}}},
      {"ibi->b", {{3, 2, 3}}},
      {"...ii->...i", {{2, 3, 3}}},
      {"iij,j->i", {{3, 3, 2}, {2}}},
      {"ba", {{2, 3}}},
      {"bij->bj", {{2, 3, 4}}},
      {"abc -> cab", {{2, 3, 4}}},
      {",i->i", {{}, {3}}},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.equation);
    std::vector<std::vector<double>> numbers;
    for (const auto& extents : each.extents) numbers.push_back(some_numbers(count_of(extents)));
    expect_close(evaluated(einsum(each.equation, each.extents), numbers), by_definition(each.equation, each.extents, numbers),
                 1e-12);
  }
}

TEST(Einsum, ProductsOfMatricesAreMatMul) {
  EXPECT_EQ(operators_of(imported(einsum("ij,jk->ik", Extents{{2, 3}, {3, 4}})).graph), "MatMul");
  EXPECT_EQ(operators_of(imported(einsum("bhid,bhjd->bhij", Extents{{2, 3, 4, 5}, {2, 3, 2, 5}})).graph), "Transpose MatMul");
  EXPECT_EQ(operators_of(imported(einsum("ij,ij->ij", Extents{{2, 3}, {2, 3}})).graph), "Mul");
  EXPECT_EQ(operators_of(imported(einsum("ij->ji", Extents{{2, 3}})).graph), "Transpose");
  EXPECT_EQ(operators_of(imported(einsum("ij->ij", Extents{{2, 3}})).graph), "Identity");
}

TEST(Einsum, ManyOperandsAreMultipliedInTheCheapestOrder) {
  const auto model = imported(einsum("ij,jk,kl->il", Extents{{50, 2}, {2, 50}, {50, 2}}));
  EXPECT_EQ(operators_of(model.graph), "MatMul MatMul");
  EXPECT_EQ(type_text(model.graph.type(model.graph.nodes().front().outputs.front())), "f32[2,2]") << "jk·kl comes first";
  ASSERT_EQ(model.notes.size(), 1U);
  EXPECT_EQ(model.notes.front(), "Einsum ij,jk,kl->il is multiplied as (1,2), (0,1): 800 FLOPs (optimal), 2e+04 as written");
}

TEST(Einsum, SymbolsPass) {
  const auto model = imported(einsum("bhid,bhjd->bhij", {{"batch", "12", "query", "64"}, {"batch", "12", "key", "64"}}));
  EXPECT_EQ(output_type(model.graph), "f32[batch,12,query,key]");
}

TEST(Einsum, ExtentsThatDifferAreNotHiddenWhereAxesBecomeOne) {
  EXPECT_EQ(barrier_of(einsum("ija,ijb->ab", Extents{{2, 3, 4}, {3, 2, 4}})), "the extents that it sums over differ");
}

TEST(Einsum, MalformedEquationsAreErrors) {
  EXPECT_TRUE(has(error_of(einsum("i1->i", Extents{{2, 3}})), "letters"));
  EXPECT_TRUE(has(error_of(einsum("....i->i", Extents{{2, 3}})), "letters"));
  EXPECT_TRUE(has(error_of(einsum("ij,jk->ik", Extents{{2, 3}})), "more operands"));
  EXPECT_TRUE(has(error_of(einsum("ij->i", Extents{{2, 3}, {2}})), "fewer operands"));
  EXPECT_TRUE(has(error_of(einsum("ijk->i", Extents{{2, 3}})), "does not fit operand 0"));
  EXPECT_TRUE(has(error_of(einsum("ij->z", Extents{{2, 3}})), "no operand has"));
  EXPECT_TRUE(has(error_of(einsum("ij->ii", Extents{{2, 3}})), "twice"));
  EXPECT_TRUE(has(error_of(einsum(std::string(5000, 'i'), Extents{{2, 3}})), "5000 characters"));
}

}  // namespace
}  // namespace fuselab
