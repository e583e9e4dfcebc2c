// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/runs/runs_page.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>

#include "app/engine/compare/runs/run_choice.h"
#include "app/gui/tables/table_view.h"
#include "db/database.h"
#include "tests/gui/support/window_fixture.h"
#include "tests/support/run_of_kernels.h"

namespace fuselab::gui::test {
namespace {

class RunsPage : public WindowTest {
 protected:
  std::unique_ptr<db::Database> open_database() {
    auto opened = db::Database::open(script_->config.database, db::Access::kWrite,
                                     std::make_shared<db::Trust>(script_->config.key_directory));
    EXPECT_TRUE(opened.ok());
    return std::move(opened).value();
  }
  void open_runs(const std::vector<std::string>& ids) {
    script_->config.key_directory = folder_.filePath("keys").toStdString();
    script_->config.database = folder_.filePath("own.db").toStdString();
    for (const std::string& id : ids)
      ASSERT_TRUE(open_database()->store().commit(testing::run_of_kernels(id, testing::unchanged_kernels(1))).ok());
    open();
    window_->show_page(PageId::kRuns);
    ASSERT_TRUE(settle());
  }
  RunMarks marks_of(const std::string& id) {
    const auto runs = engine::list_runs(script_->config, script_->config.database, true);
    const auto place = engine::find_run(runs.value(), id);
    return place.ok() ? runs.value()[place.value()].run.marks : RunMarks();
  }
  QString text(int row, int column) { return find<TableView>("runs.table")->model()->index(row, column).data().toString(); }
  void press(const char* button) {
    click(find<QPushButton>(button));
    ASSERT_TRUE(settle());
  }
};

TEST_F(RunsPage, ARunIsNamedTaggedAndDescribed) {
  open_runs({"first", "second"});
  ASSERT_EQ(find<TableView>("runs.table")->model()->rowCount(), 2);
  EXPECT_EQ(text(0, RunModel::kName), "tune · null · 8 trials") << "called after what it measured";
  EXPECT_GT(find<TableView>("runs.card")->model()->rowCount(), 6) << "its environment";
  find<QLineEdit>("runs.name")->setText("before the upgrade");
  find<QLineEdit>("runs.tags")->setText("nightly, avx512");
  find<QPlainTextEdit>("runs.note")->setPlainText("two\nlines");
  press("runs.save");
  EXPECT_EQ(marks_of("second"), (RunMarks{"before the upgrade", {"avx512", "nightly"}, "two\nlines", false}));
  EXPECT_EQ(text(0, RunModel::kName), "before the upgrade");
  EXPECT_EQ(text(0, RunModel::kTags), "avx512, nightly");
  find<QLineEdit>("runs.tags")->setText("avx512");
  press("runs.save");
  EXPECT_EQ(marks_of("second").tags, std::vector<std::string>{"avx512"});
  find<TableView>("runs.table")->select_row(1);
  ASSERT_TRUE(settle());
  EXPECT_EQ(find<QLineEdit>("runs.name")->text(), "") << "of the other run";
}

TEST_F(RunsPage, WhatIsTypedStaysWithItsRun) {
  open_runs({"first", "second"});
  QTest::keyClicks(find<QLineEdit>("runs.name"), "of the second");
  find<TableView>("runs.table")->select_row(1);
  ASSERT_TRUE(settle());
  EXPECT_EQ(find<QLineEdit>("runs.name")->text(), "");
  find<TableView>("runs.table")->select_row(0);
  ASSERT_TRUE(settle());
  EXPECT_EQ(find<QLineEdit>("runs.name")->text(), "of the second");
  EXPECT_TRUE(find<QLabel>("runs.problem")->text().contains("not saved"));
  EXPECT_EQ(marks_of("second"), RunMarks());
  press("runs.save");
  EXPECT_EQ(marks_of("second").name, "of the second");
  EXPECT_EQ(find<QLabel>("runs.problem")->text(), "");
}

TEST_F(RunsPage, ARunOfTheWindowIsChosenByItsNameAndShownByTheOtherPages) {
  open_runs({"first", "second"});
  QTest::keyClicks(find<QLineEdit>("runs.name"), "nightly");
  press("runs.save");
  auto* const runs = find<QComboBox>("model.run");
  ASSERT_EQ(runs->count(), 3) << "all, and two";
  EXPECT_TRUE(runs->itemText(1).startsWith("nightly · ")) << runs->itemText(1).toStdString();
  runs->setCurrentIndex(2);
  emit runs->activated(2);
  ASSERT_TRUE(settle());
  EXPECT_EQ(find<TableView>("runs.table")->currentIndex().row(), 1);
  window_->show_page(PageId::kDiff);
  ASSERT_TRUE(settle());
  EXPECT_TRUE(find<QComboBox>("diff.after")->currentData().toString().endsWith("first"));
  window_->bench().model.choose_run("second");
  ASSERT_TRUE(settle());
  EXPECT_TRUE(find<QComboBox>("diff.after")->currentData().toString().endsWith("second"));
  EXPECT_EQ(window_->page(PageId::kDiff)->own_command(), "fuselab diff first second");
}

TEST_F(RunsPage, ARowLeadsToItsTrialsAndFigures) {
  open_runs({"first", "second"});
  find<TableView>("runs.table")->select_row(1);
  ASSERT_TRUE(settle());
  auto* const table = find<TableView>("runs.table");
  emit table->customContextMenuRequested(QPoint(1, 1));
  auto* const menu = table->findChild<QMenu*>(QStringLiteral("handover"), Qt::FindDirectChildrenOnly);
  ASSERT_NE(menu, nullptr);
  QStringList names;
  for (const QAction* action : menu->findChildren<QAction*>()) names << action->objectName();
  for (const char* name : {"handover.run-results", "handover.run-compare", "handover.run-decide", "handover.run-diff", "copy.page",
                           "copy.run-compare"})
    EXPECT_TRUE(names.contains(name)) << name;
  EXPECT_TRUE(menu->findChild<QAction*>("copy.page")->data().toString().contains("runs show first"));
  EXPECT_TRUE(menu->findChild<QAction*>("copy.run-compare")->data().toString().contains("compare --run first"));
  menu->findChild<QAction*>("handover.run-results")->trigger();
  ASSERT_TRUE(settle());
  EXPECT_EQ(window_->current_page(), PageId::kResults);
  EXPECT_EQ(window_->bench().model.scope().run, "first");
  EXPECT_EQ(find<QComboBox>("model.run")->currentData().toString(), "first");
}

TEST_F(RunsPage, ARefusedNameSaysWhyAndStaysInTheField) {
  open_runs({"first"});
  find<QLineEdit>("runs.name")->setText("latest");
  find<QLineEdit>("runs.name")->setModified(true);
  press("runs.save");
  EXPECT_TRUE(find<QLabel>("runs.problem")->text().contains("choose another name"));
  EXPECT_EQ(find<QLineEdit>("runs.name")->text(), "latest");
  EXPECT_EQ(marks_of("first"), RunMarks());
}

TEST_F(RunsPage, APinnedRunIsTheBaselineOfDiff) {
  open_runs({"first", "second", "third"});
  find<TableView>("runs.table")->select_row(2);
  ASSERT_TRUE(settle());
  press("runs.pin");
  EXPECT_TRUE(marks_of("first").pinned);
  EXPECT_TRUE(text(2, RunModel::kBaseline).contains("pinned"));
  EXPECT_EQ(find<QPushButton>("runs.pin")->text(), "Unpin");
  find<TableView>("runs.table")->select_row(1);
  ASSERT_TRUE(settle());
  press("runs.compare");
  EXPECT_EQ(window_->current_page(), PageId::kDiff);
  EXPECT_TRUE(find<QComboBox>("diff.before")->currentText().startsWith("Baseline: ")) << "the pinned one";
  EXPECT_TRUE(find<QComboBox>("diff.before")->currentData().toString().endsWith("first"));
  EXPECT_TRUE(find<QComboBox>("diff.after")->currentData().toString().endsWith("second"));
  window_->show_page(PageId::kRuns);
  find<TableView>("runs.table")->select_row(2);
  press("runs.pin");
  EXPECT_FALSE(marks_of("first").pinned);
}

TEST_F(RunsPage, NothingIsChangedWhereThereIsNothingToChangeOrToWrite) {
  open_runs({});
  EXPECT_TRUE(window_->page(PageId::kRuns)->findChild<QLabel*>("emptyTitle")->isVisible());
  script_->config.read_only = true;
  open_runs({"first"});
  EXPECT_FALSE(find<QPushButton>("runs.pin")->isEnabled());
  EXPECT_FALSE(find<QLineEdit>("runs.name")->isEnabled());
}

TEST_F(RunsPage, WhileSomethingMeasuresTheReasonIsSaid) {
  open_runs({"first"});
  const auto writer = open_database();
  press("runs.pin");
  const QString problem = find<QLabel>("runs.problem")->text();
  EXPECT_FALSE(problem.isEmpty());
  EXPECT_FALSE(problem.contains("--") || problem.contains('`')) << problem.toStdString();
  EXPECT_FALSE(marks_of("first").pinned);
}

}  // namespace
}  // namespace fuselab::gui::test
