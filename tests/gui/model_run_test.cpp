// SPDX-License-Identifier: Apache-2.0
// The Run tab of the Models page on the real engine.
#include <QCheckBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>

#include "app/gui/models/execution_model.h"
#include "app/gui/tables/table_view.h"
#include "core/tensor/npy.h"
#include "tests/gui/support/real_window.h"

namespace fuselab::gui::test {
namespace {

constexpr const char* kTwoInputs =
    "graph(x: f32[8,64], y: f32[8,96], w: param f32[64,96]) { m = MatMul(x, w); s = Mul(m, y); return s }";

class ModelRunTest : public RealWindowTest {
 protected:
  void SetUp() override {
    open();
    window_->show_page(PageId::kModels, kTwoInputs);
    ASSERT_TRUE(settle());
    find<QTabWidget>("models.tabs")->setCurrentIndex(3);
    find<QSpinBox>("models.run.steady")->setValue(2);
  }
  void run() {
    click(find<QPushButton>("models.run.start"));
    ASSERT_TRUE(settle());
  }
  std::string line() { return find<QLabel>("models.run.line")->text().toStdString(); }
  std::string cell(const char* table, int row, int column) {
    return find<TableView>(table)->model()->index(row, column).data().toString().toStdString();
  }
  void give(int row, const QString& text) {
    find<TableView>("models.run.inputs")->select_row(row);
    find<QLineEdit>("models.run.data")->setText(text);
  }
};

TEST_F(ModelRunTest, ShowsOutputsInFiguresPiecesAndTheCheck) {
  find<QCheckBox>("models.run.check")->setChecked(true);
  run();
  EXPECT_NE(line().find("reference: passed, 768 values"), std::string::npos) << line();
  EXPECT_NE(line().find("0 given, 0 from the file, 3 from the seed"), std::string::npos) << line();
  ASSERT_EQ(find<TableView>("models.run.outputs")->model()->rowCount(), 1);
  EXPECT_EQ(cell("models.run.outputs", 0, 1), "f32[8,96]");
  EXPECT_EQ(cell("models.run.outputs", 0, 5), "0") << "every value is finite";
  EXPECT_EQ(cell("models.run.outputs", 0, 6).size(), 16U);
  const std::string hash = cell("models.run.outputs", 0, 6);
  ASSERT_GE(find<TableView>("models.run.pieces")->model()->rowCount(), 1);
  EXPECT_NE(cell("models.run.pieces", 0, 1).find("cpu:0"), std::string::npos) << cell("models.run.pieces", 0, 1);
  EXPECT_NE(cell("models.run.pieces", 0, 3), "–") << "it was launched again";
  find<QSpinBox>("models.run.seed")->setValue(2);
  run();
  EXPECT_NE(cell("models.run.outputs", 0, 6), hash) << "other numbers";
}

TEST_F(ModelRunTest, TakesANumberAndAFile) {
  std::vector<float> ones(static_cast<std::size_t>(8 * 96), 1.0F);
  const auto array = write_npy({DType::kF32, {8, 96}}, std::as_bytes(std::span(ones)));
  ASSERT_TRUE(array.ok());
  QFile file(folder_.filePath("y.npy"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(reinterpret_cast<const char*>(array.value().data()), static_cast<qint64>(array.value().size()));
  file.close();
  give(0, "0");
  give(1, file.fileName());
  EXPECT_EQ(cell("models.run.inputs", 0, 2), "0");
  run();
  EXPECT_NE(line().find("2 given"), std::string::npos) << line();
  EXPECT_EQ(cell("models.run.outputs", 0, 2), "0") << "nothing times ones";
  EXPECT_EQ(cell("models.run.outputs", 0, 4), "0");
}

TEST_F(ModelRunTest, AnErrorNamesTheInputAndChoosesIt) {
  give(1, "/nowhere/y.npy");
  find<TableView>("models.run.inputs")->select_row(0);
  EXPECT_EQ(find<QLineEdit>("models.run.data")->text(), "") << "each input has its own";
  run();
  EXPECT_NE(line().find("'y'"), std::string::npos) << line();
  EXPECT_EQ(find<TableView>("models.run.inputs")->currentIndex().row(), 1);
  EXPECT_EQ(find<TableView>("models.run.outputs")->model()->rowCount(), 0);
  EXPECT_TRUE(find<QPushButton>("models.run.start")->isEnabled()) << "it may be tried again";
}

TEST_F(ModelRunTest, CanBeCancelledAndRunAgain) {
  find<QPushButton>("models.run.start")->click();
  EXPECT_FALSE(find<QPushButton>("models.run.start")->isEnabled()) << "one run at a time";
  find<QPushButton>("models.run.cancel")->click();
  ASSERT_TRUE(settle());
  EXPECT_EQ(line(), "Cancelled");
  EXPECT_FALSE(find<QPushButton>("models.run.cancel")->isEnabled());
  run();
  EXPECT_EQ(find<TableView>("models.run.outputs")->model()->rowCount(), 1);
}

using ModelRunBesideAJob = WindowTest;

TEST_F(ModelRunBesideAJob, WaitsUntilNothingIsMeasured) {
  open();
  window_->show_page(PageId::kModels);
  ASSERT_TRUE(settle());
  auto* start = find<QPushButton>("models.run.start");
  EXPECT_TRUE(start->isEnabled());
  window_->bench().control.start_default();
  ASSERT_TRUE(settle());
  EXPECT_FALSE(start->isEnabled());
  EXPECT_TRUE(start->toolTip().contains("measuring"));
  script_->job->end(engine::JobState::kFinished);
  ASSERT_TRUE(QTest::qWaitFor([&] { return start->isEnabled(); }, 60'000));
}

}  // namespace
}  // namespace fuselab::gui::test
