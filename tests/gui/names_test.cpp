// SPDX-License-Identifier: Apache-2.0
#include <QFontMetrics>

#include "app/gui/graph/group_model.h"
#include "app/gui/look/piece_names.h"
#include "app/gui/models/compare_model.h"
#include "app/gui/tables/table_view.h"
#include "app/gui/tables/tone_delegate.h"
#include "tests/gui/support/window_fixture.h"

namespace fuselab::gui::test {
namespace {

// As `fuselab fuse resnet50` names them.
std::vector<std::string> resnet50_pieces() {
  std::vector<std::string> names = {"stem/conv1/Conv+BatchNormalization+Relu", "stem/maxpool/MaxPool"};
  const int blocks[] = {3, 4, 6, 3};
  for (int layer = 1; layer <= 4; ++layer) {
    for (int block = 0; block < blocks[layer - 1]; ++block) {
      const std::string scope = "layer" + std::to_string(layer) + "/" + std::to_string(block);
      names.push_back(scope + "/conv1/Conv+BatchNormalization+Relu");
      names.push_back(scope + "/conv2/Conv+BatchNormalization+Relu");
      if (block == 0) names.push_back(scope + "/downsample.0/Conv+BatchNormalization");
      names.push_back(scope + "/conv3/Conv+BatchNormalization+Add+Relu");
    }
  }
  names.insert(names.end(), {"head/avgpool/GlobalAveragePool", "head/fc/Gemm"});
  return names;
}

std::vector<std::string> bert_pieces() {
  return {"attention/query/MatMul+Add",
          "attention/key/MatMul+Add",
          "attention/value/MatMul+Add",
          "attention/query/Transpose",
          "attention/key/Transpose",
          "attention/self/Transpose+MatMul+Div+Add+2 more",
          "attention/self/Transpose",
          "attention/output/MatMul+Add+Add",
          "attention/output/LayerNorm/LayerNormalization",
          "intermediate/MatMul+Add+Div+Erf+3 more",
          "output/MatMul+Add+Add",
          "output/LayerNorm/LayerNormalization"};
}

// What the rows of a table's first column show at its width.
QStringList shown_names(const TableView& table) {
  QStringList shown;
  for (int row = 0; row < table.model()->rowCount(); ++row) {
    const QModelIndex index = table.model()->index(row, 0);
    QFont font = table.font();
    if (index.data(TableModelBase::kStrongRole).toBool()) font.setWeight(QFont::DemiBold);
    shown << fitting_words(index.data().toString(), index.data(TableModelBase::kBriefRole).toString(), QFontMetrics(font),
                           table.columnWidth(0) - 14);
  }
  return shown;
}

void expect_all_different(const QStringList& shown, const std::string& where) {
  for (const QString& name : shown) EXPECT_EQ(shown.count(name), 1) << where << ": " << name.toStdString();
}

TEST(BriefNames, LeaveOutTheOperatorsWhereTheRestIsANameOfItsOwn) {
  EXPECT_EQ(brief_names({"layer1/0/conv1/Conv+Relu", "layer1/0/conv2/Conv+Relu", "stem/maxpool/MaxPool"}),
            QStringList({"layer1/0/conv1", "layer1/0/conv2", "stem/maxpool"}));
  EXPECT_EQ(brief_names({"query/MatMul+Add", "query/Transpose", "self/Softmax"}),
            QStringList({"query/MatMul+Add", "query/Transpose", "self"}));
  EXPECT_EQ(brief_names({"a/b", "a/b/Conv"}), QStringList({"a/b", "a/b/Conv"})) << "another's name";
  EXPECT_EQ(brief_names({"encoder/softmax", "Add+Gelu", ""}), QStringList({"encoder/softmax", "Add+Gelu", ""}));
}

TEST(ShortNames, TellTheLayersOfAModelApart) {
  const QStringList names = short_names(brief_names({"layer1/0/conv1/Conv+Relu", "layer2/0/conv1/Conv+Relu", "head/fc/Gemm"}));
  EXPECT_EQ(names, QStringList({"layer1/0/conv1", "layer2/0/conv1", "head/fc"}));
}

TEST(ShortNames, AreAsLongAsItTakesToTellThemApart) {
  EXPECT_EQ(short_names({"a/encoder/attention/softmax", "decoder/rope", "gelu"}),
            QStringList({"attention/softmax", "decoder/rope", "gelu"}));
  EXPECT_EQ(short_names({"output/MatMul+Add", "attention/output/MatMul+Add", "x/y/attention/output/MatMul+Add"}),
            QStringList({"output/MatMul+Add", "attention/output/MatMul+Add", "y/attention/output/MatMul+Add"}));
  EXPECT_EQ(short_names({"a/b/c", "a/b/c"}), QStringList({"a/b/c", "a/b/c"})) << "the same name twice stays the same";
}

using Names = WindowTest;

TEST_F(Names, TellThePiecesOfRealModelsApartInTheListOfTheModelsPage) {
  for (const auto& [model, names] : {std::pair{"resnet50", resnet50_pieces()}, std::pair{"bert-layer", bert_pieces()}}) {
    script_->graph = engine::GraphView();
    for (const std::string& name : names) {
      const auto group = static_cast<int>(script_->graph.groups.size());
      script_->graph.groups.push_back({name, "ConvBatchNorm", name});
      for (const char* op : {"Conv", "Relu"}) script_->graph.nodes.push_back({name + op, op, "", group});
    }
    open();
    window_->show_page(PageId::kModels);
    for (const int width : {960, 1280}) {
      window_->resize(width, width == 960 ? 600 : 800);
      ASSERT_TRUE(settle());
      const auto* table = find<TableView>("models.groups");
      ASSERT_EQ(table->model()->rowCount(), static_cast<int>(names.size()));
      expect_all_different(shown_names(*table), std::string(model) + " at " + std::to_string(width));
    }
  }
}

TEST_F(Names, TellThePiecesOfRealModelsApartOnCompare) {
  const engine::CompareTable canned = canned_table();
  for (const auto& [model, names] : {std::pair{"resnet50", resnet50_pieces()}, std::pair{"bert-layer", bert_pieces()}}) {
    engine::CompareTable table = canned;
    table.model = model;
    table.rows.clear();
    for (const std::string& name : names) {
      table.rows.push_back(canned.rows[1]);
      table.rows.back().name = table.rows.back().piece_key = name;
    }
    script_->tables = {table};
    open();
    for (const int width : {960, 1280}) {
      window_->resize(width, width == 960 ? 600 : 800);
      ASSERT_TRUE(settle());
      expect_all_different(shown_names(*find<TableView>("compare.table")), std::string(model) + " at " + std::to_string(width));
    }
  }
}

}  // namespace
}  // namespace fuselab::gui::test
