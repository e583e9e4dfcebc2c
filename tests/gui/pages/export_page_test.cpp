// SPDX-License-Identifier: Apache-2.0
// The Export page on the real engine.
#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTabWidget>

#include "app/gui/pages/export/export_model.h"
#include "app/gui/tables/table_view.h"
#include "tests/gui/support/real_window.h"

namespace fuselab::gui::test {
namespace {

constexpr const char* kOnePiece = "graph(x: f32[8,64], w: param f32[64,96]) { m = MatMul(x, w); s = Relu(m); return s }";

class ExportPageTest : public RealWindowTest {
 protected:
  void SetUp() override {
    open();
    window_->show_page(PageId::kExport, kOnePiece);
    ASSERT_TRUE(settle());
    find<QLineEdit>("export.file")->setText(file());
  }
  QString file() const { return folder_.filePath(QStringLiteral("out.fuselab")); }
  QAbstractItemModel* model(const char* table) { return find<TableView>(table)->model(); }
  std::string cell(const char* table, int row, int column) {
    return model(table)->index(row, column).data().toString().toStdString();
  }
  std::string text(const char* label) { return find<QLabel>(label)->text().toStdString(); }
  std::string facts() {
    std::string all;
    for (int row = 0; row < model("export.bundle")->rowCount(); ++row)
      all += cell("export.bundle", row, 0) + ": " + cell("export.bundle", row, 1) + "\n";
    return all;
  }
};

TEST_F(ExportPageTest, WhatItShowsIsWhatItWrites) {
  ASSERT_EQ(model("export.pieces")->rowCount(), 1);
  EXPECT_EQ(cell("export.pieces", 0, 3), "default");
  EXPECT_EQ(cell("export.pieces", 0, 6), "never measured on cpu:0");
  EXPECT_NE(text("export.loss_line").find("Nothing of this was measured"), std::string::npos);
  EXPECT_FALSE(QFile::exists(file())) << "looking writes nothing";
  click(find<QPushButton>("export.write"));
  ASSERT_TRUE(settle());
  ASSERT_TRUE(QFile::exists(file())) << text("export.line");
  EXPECT_EQ(find<QTabWidget>("export.tabs")->currentIndex(), 1) << "it is shown at once";
  EXPECT_NE(text("export.bundle_line").find("out.fuselab: integrity verified"), std::string::npos) << text("export.bundle_line");
  ASSERT_EQ(model("export.bundle_pieces")->rowCount(), 1);
  for (const int column : {0, 1, 2, 3}) EXPECT_EQ(cell("export.bundle_pieces", 0, column), cell("export.pieces", 0, column));
  EXPECT_NE(facts().find(", whom you trust\n"), std::string::npos) << facts();
  EXPECT_NE(facts().find("Inputs: x f32[8,64]\nOutputs: s f32[8,96]\n"), std::string::npos) << facts();
  EXPECT_NE(facts().find("1 of 1 weights"), std::string::npos) << "a graph's text has no numbers\n" << facts();

  click(find<QPushButton>("export.verify"));
  ASSERT_TRUE(settle());
  EXPECT_NE(text("export.bundle_line").find("every piece matches"), std::string::npos) << text("export.bundle_line");
  ASSERT_EQ(model("export.verified")->rowCount(), 1);
  EXPECT_TRUE(find<TableView>("export.verified")->isVisible());
  EXPECT_EQ(cell("export.verified", 0, 1), "matches") << "it has no exported time to be held against";
}

TEST_F(ExportPageTest, WhatTheOptionsRefuseIsSaidBeforeAnythingIsMade) {
  auto* write = find<QPushButton>("export.write");
  EXPECT_TRUE(write->isEnabled());
  find<QCheckBox>("export.complete")->setChecked(true);
  ASSERT_TRUE(settle());
  EXPECT_FALSE(write->isEnabled());
  EXPECT_NE(text("export.line").find("never measured on cpu:0"), std::string::npos) << text("export.line");
  find<QCheckBox>("export.complete")->setChecked(false);
  ASSERT_TRUE(settle());
  EXPECT_TRUE(write->isEnabled());
}

TEST_F(ExportPageTest, FiguresOfAnotherShapeAreSaidToBeThoseAndGoOutUnderNoOther) {
  auto* shape = find<QLineEdit>("export.binding");
  shape->setFocus();
  QTest::keyClicks(shape, QStringLiteral("abc"));
  EXPECT_FALSE(find<QPushButton>("export.write")->isEnabled());
  EXPECT_FALSE(find<TableView>("export.pieces")->isEnabled());
  EXPECT_TRUE(find<QLabel>("export.subtitle")->text().startsWith("Press Enter")) << text("export.subtitle");
  QTest::keyClick(shape, Qt::Key_Return);
  ASSERT_TRUE(settle());
  EXPECT_TRUE(find<QLabel>("export.subtitle")->text().endsWith("cannot be exported")) << text("export.subtitle");
  EXPECT_TRUE(shape->property("refused").toBool());
  EXPECT_FALSE(find<QPushButton>("export.write")->isEnabled()) << "Run (F5) presses it";
  shape->clear();
  QTest::keyClick(shape, Qt::Key_Return);
  ASSERT_TRUE(settle());
  EXPECT_TRUE(find<QPushButton>("export.write")->isEnabled());
  EXPECT_TRUE(find<TableView>("export.pieces")->isEnabled());
}

TEST_F(ExportPageTest, AFolderThatCannotBeMadeIsSaidAndItsFieldMarked) {
  auto* line = find<QLineEdit>("export.file");
  line->setText(QStringLiteral("/proc/nowhere/out.fuselab"));
  click(find<QPushButton>("export.write"));
  ASSERT_TRUE(settle());
  EXPECT_NE(text("export.line").find("/proc/nowhere"), std::string::npos) << text("export.line");
  EXPECT_NE(text("export.line").find("Choose another file in Write to"), std::string::npos) << text("export.line");
  EXPECT_TRUE(line->property("refused").toBool());
  line->setText(file());
  EXPECT_FALSE(line->property("refused").toBool());
}

TEST_F(ExportPageTest, AGpuThatIsNotKnownIsNamed) {
  find<QLineEdit>("export.gpu_targets")->setText(QStringLiteral("sm_nosuch"));
  click(find<QPushButton>("export.write"));
  ASSERT_TRUE(settle());
  EXPECT_FALSE(QFile::exists(file()));
  EXPECT_NE(text("export.line").find("sm_nosuch"), std::string::npos) << text("export.line");
}

TEST_F(ExportPageTest, AFolderIsWrittenAndShownAsAFileIs) {
  find<QComboBox>("export.format")->setCurrentText(QStringLiteral("Folder"));
  find<QLineEdit>("export.file")->setText(folder_.filePath(QStringLiteral("out/")));
  click(find<QPushButton>("export.write"));
  ASSERT_TRUE(settle());
  EXPECT_TRUE(QFile::exists(folder_.filePath(QStringLiteral("out/manifest.json")))) << text("export.line");
  EXPECT_EQ(find<QTabWidget>("export.tabs")->currentIndex(), 1);
  EXPECT_NE(text("export.bundle_line").find("out: integrity verified"), std::string::npos) << text("export.bundle_line");
  EXPECT_EQ(model("export.bundle_pieces")->rowCount(), 1);
}

TEST_F(ExportPageTest, AHeaderIsWrittenAndNoBundleIsShown) {
  find<QComboBox>("export.format")->setCurrentText(QStringLiteral("C header"));
  const QString header = folder_.filePath(QStringLiteral("tuned.h"));
  find<QLineEdit>("export.file")->setText(header);
  click(find<QPushButton>("export.write"));
  ASSERT_TRUE(settle());
  QFile written(header);
  ASSERT_TRUE(written.open(QIODevice::ReadOnly)) << text("export.line");
  EXPECT_TRUE(written.readAll().contains("fuselab_tuned_kernels"));
  EXPECT_EQ(find<QTabWidget>("export.tabs")->currentIndex(), 0);
  EXPECT_NE(text("export.line").find("tuned.h"), std::string::npos);
}

TEST_F(ExportPageTest, TheFormProposesANameOfItsKind) {
  auto* line = find<QLineEdit>("export.file");
  auto* form = find<QComboBox>("export.format");
  form->setCurrentText(QStringLiteral("C header"));
  EXPECT_EQ(line->text(), file()) << "what the user typed stays";
}

TEST_F(ExportPageTest, TheElementTypeAndWhatIsAcceptedAreThoseOfWhatGoesOut) {
  find<QComboBox>("export.dtype")->setCurrentText(QStringLiteral("bf16"));
  ASSERT_TRUE(settle());
  find<QCheckBox>("export.accept_nan-loss")->setChecked(true);
  ASSERT_TRUE(settle());
  ASSERT_EQ(model("export.pieces")->rowCount(), 1) << text("export.line");
  window_->show_page(PageId::kExport, QStringLiteral("w1"));
  ASSERT_TRUE(settle());
  click(find<QPushButton>("export.write"));
  ASSERT_TRUE(settle());
  EXPECT_NE(facts().find("bf16["), std::string::npos) << text("export.line") << facts();
}

TEST_F(ExportPageTest, WhatWasMeasuredGoesOutAsItWasMeasured) {
  engine::JobSpec job;
  job.verb = engine::JobSpec::Verb::kTune;
  job.subjects = {kOnePiece};
  job.devices.only = {"cpu:0"};
  job.budget_trials = 2;
  job.budget_seconds = 20;
  window_->bench().control.start(job);
  ASSERT_TRUE(settle());
  ASSERT_TRUE(QTest::qWaitFor([this] { return !window_->bench().job.active(); }, 120'000));
  ASSERT_TRUE(QTest::qWaitFor([this] { return cell("export.pieces", 0, 3) != "default"; }, 60'000));
  ASSERT_TRUE(settle());
  EXPECT_NE(cell("export.pieces", 0, 4).find('['), std::string::npos) << "a median never stands without its interval";
  find<QCheckBox>("export.unconfirmed")->setChecked(true);  // a disturbed machine may leave it so
  ASSERT_TRUE(settle());
  click(find<QPushButton>("export.write"));
  ASSERT_TRUE(settle());
  ASSERT_EQ(model("export.bundle_pieces")->rowCount(), 1) << text("export.line");
  for (const int column : {2, 3, 4, 5}) EXPECT_EQ(cell("export.bundle_pieces", 0, column), cell("export.pieces", 0, column));
  EXPECT_EQ(cell("export.bundle_pieces", 0, 6), cell("export.pieces", 0, 7)) << "in a bundle nothing is missing";
}

TEST_F(ExportPageTest, AFileThatIsNoBundleSaysSo) {
  QFile other(folder_.filePath(QStringLiteral("other.fuselab")));
  ASSERT_TRUE(other.open(QIODevice::WriteOnly));
  other.write("no bundle at all");
  other.close();
  window_->show_page(PageId::kExport, other.fileName());
  ASSERT_TRUE(settle());
  EXPECT_NE(text("export.bundle_line").find("other.fuselab"), std::string::npos) << text("export.bundle_line");
  EXPECT_EQ(model("export.bundle_pieces")->rowCount(), 0);
}

TEST(ExportModel, TellsWhatALibraryRunsFasterAndWhatStaysBehind) {
  deploy::OutgoingPiece slow{"attention",
                             2,
                             "fused",
                             std::string(deploy::kTuned),
                             "loop_order=0",
                             deploy::BundleFigure{2e6, 1.9e6, 2.1e6, true},
                             deploy::BundleRunnerUp{"onednn:0 fused", 1e6, 0.5},
                             "",
                             ""};
  deploy::OutgoingPiece barrier{"unique", 1, "", "", "", {}, {}, "how much it gives depends on the data", "'unique' cannot be run"};
  ExportModel model(false);
  model.show({slow, barrier});
  const auto text = [&](int row, int column) { return model.index(row, column).data().toString().toStdString(); };
  EXPECT_EQ(text(0, 5), "onednn:0 fused 0.50×, faster");
  EXPECT_EQ(model.index(0, 5).data(TableModelBase::kToneRole).toInt(), static_cast<int>(Tone::kWarning));
  EXPECT_EQ(text(1, 3), "stays behind");
  EXPECT_EQ(text(1, 6), "how much it gives depends on the data");
  EXPECT_EQ(text(1, 4), "…");
}

}  // namespace
}  // namespace fuselab::gui::test
