// SPDX-License-Identifier: Apache-2.0
// What must be whole however narrow the window is: facts, headings, names beside empty room.
#include <QClipboard>
#include <QComboBox>
#include <QLineEdit>
#include <QScrollBar>
#include <QTabWidget>

#include "app/gui/look/elided_label.h"
#include "app/gui/look/figures.h"
#include "app/gui/look/usual_shape.h"
#include "app/gui/models/compare_model.h"
#include "app/gui/models/piece_model.h"
#include "app/gui/plots/figure_panel.h"
#include "app/gui/tables/fact_view.h"
#include "tests/gui/support/window_fixture.h"

namespace fuselab::gui::test {
namespace {

using WholeTexts = WindowTest;

constexpr const char* kConfig = "loop_order=0,pack=1,rows_per_task=64,threads=2,tile_k=256,tile_m=6,tile_n=32,unroll=4,vector=16";

TEST_F(WholeTexts, FactsTakeAsManyLinesAsTheyNeed) {
  script_->tables.front().rows.front().cells.front().fused.figure->config = kConfig;
  open();
  auto* tabs = find<QTabWidget>("compare.tabs");
  auto* facts = find<FactView>("compare.details");
  for (const QSize size : {QSize(960, 600), QSize(1280, 800)}) {
    window_->resize(size);
    tabs->setCurrentIndex(0);
    QApplication::processEvents();
    tabs->setCurrentWidget(facts);  // laid out when it comes forward
    QApplication::processEvents();
    EXPECT_LE(facts->columnWidth(0) + facts->columnWidth(1), facts->viewport()->width());
    bool wrapped = false;
    for (int row = 0; row < facts->model()->rowCount(); ++row) {
      for (int column = 0; column < 2; ++column) {
        const QString text = facts->model()->index(row, column).data().toString();
        const int room = facts->columnWidth(column) - 14;
        const int least = (facts->fontMetrics().horizontalAdvance(text) + room - 1) / room * facts->fontMetrics().height();
        EXPECT_GE(facts->rowHeight(row), least) << size.width() << " px: " << text.toStdString();
        wrapped = wrapped || (text == kConfig && facts->rowHeight(row) >= 2 * facts->fontMetrics().height());
      }
    }
    EXPECT_TRUE(wrapped) << size.width();
  }
}

TEST(FactView, BreaksAConfigurationAfterACommaAndCopiesItAsItIs) {
  engine::CompareTable table = canned_table();
  table.rows.front().cells.front().fused.figure->config = kConfig;
  PieceModel model;
  model.show(&table.rows.front());
  FactView view;
  view.setModel(&model);
  view.resize(400, 300);
  view.show();
  QApplication::processEvents();
  view.selectAll();
  view.copy_csv();
  EXPECT_TRUE(QApplication::clipboard()->text().contains(QLatin1String(kConfig)));
}

TEST_F(WholeTexts, AHeadingIsSaidShorterRatherThanCut) {
  open();
  window_->resize(MainWindow::kSmallest);
  auto* tabs = find<QTabWidget>("compare.tabs");
  for (int tab = 0; tab < 3; ++tab) {
    tabs->setCurrentIndex(tab);
    QApplication::processEvents();
    const auto* heading = tabs->currentWidget()->findChild<ElidedLabel*>();
    ASSERT_NE(heading, nullptr);
    EXPECT_FALSE(heading->shown_text().contains(kPendingText)) << heading->shown_text().toStdString();
    EXPECT_FALSE(heading->shown_text().isEmpty());
  }
}

TEST_F(WholeTexts, NamesAreNotCutToTheLeastInATableThatScrollsAnyway) {
  for (engine::CompareRow& row : script_->tables.front().rows) {
    row.name = "encoder/layer/0/attention/output/" + row.name;
    row.cells.resize(1);
    for (const char* device : {"null:0", "null:1", "null:2"}) {
      row.cells.push_back(row.cells.front());
      row.cells.back().device_id = device;
    }
  }
  open();
  find<QComboBox>("compare.columns")->setCurrentIndex(1);
  emit find<QComboBox>("compare.columns")->activated(1);
  window_->resize(1920, 1080);
  QApplication::processEvents();
  const auto* table = find<TableView>("compare.table");
  EXPECT_GT(table->horizontalScrollBar()->maximum(), 0) << "four devices do not fit";
  EXPECT_GE(table->columnWidth(CompareModel::kPiece), 270);
}

TEST_F(WholeTexts, ShapeNamesTheSymbolsOfTheChosenModel) {
  EXPECT_EQ(usual_shapes("resnet50"), QStringList("batch=1"));
  EXPECT_EQ(usual_shapes("bert-layer"), QStringList("batch=1,seq=128"));
  EXPECT_FALSE(usual_shapes("w3").isEmpty());
  EXPECT_TRUE(usual_shapes("model.onnx").isEmpty());
  EXPECT_TRUE(usual_shapes("").isEmpty());
  open();
  window_->show_page(PageId::kModels, "resnet50");
  const auto* shape = find<QLineEdit>("models.binding");
  EXPECT_EQ(shape->placeholderText(), "batch=1");
  window_->show_page(PageId::kModels, "bert-layer");
  EXPECT_EQ(shape->placeholderText(), "batch=1,seq=128");
  window_->show_page(PageId::kModels, "w3");
  EXPECT_EQ(shape->placeholderText(), usual_shapes("w3-residual-rmsnorm").front());
  window_->show_page(PageId::kModels, "mine.onnx");
  EXPECT_EQ(shape->placeholderText(), "as the model says");
}

}  // namespace
}  // namespace fuselab::gui::test
