// SPDX-License-Identifier: Apache-2.0
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QTabWidget>
#include <algorithm>

#include "app/gui/models/diff_model.h"
#include "app/gui/plots/plot_canvas.h"
#include "app/gui/tables/table_view.h"
#include "db/database.h"
#include "tests/gui/support/window_fixture.h"
#include "tests/support/run_of_kernels.h"

namespace fuselab::gui::test {
namespace {

using testing::RunKernel;

class DiffPage : public WindowTest {
 protected:
  QString store(const char* file, const std::string& run_id, const std::vector<RunKernel>& kernels, const std::string& host = {}) {
    script_->config.key_directory = folder_.filePath("keys").toStdString();
    const QString path = folder_.filePath(file);
    auto database =
        db::Database::open(path.toStdString(), db::Access::kWrite, std::make_shared<db::Trust>(script_->config.key_directory));
    EXPECT_TRUE(database.ok());
    EXPECT_TRUE(database.value()->store().commit(testing::run_of_kernels(run_id, kernels, host)).ok());
    return path;
  }
  void open_diff(const QStringList& files) {
    MainWindow::Options options;
    options.other_databases = files;
    open(options);
    window_->show_page(PageId::kDiff);
    ASSERT_TRUE(settle());
  }
  void choose(const char* box_name, const QString& run_id) {
    auto* box = find<QComboBox>(box_name);
    for (int i = 0; i < box->count(); ++i) {
      if (box->itemData(i).toString().endsWith(QLatin1Char('\n') + run_id)) box->setCurrentIndex(i);
    }
    emit box->activated(box->currentIndex());
    ASSERT_TRUE(settle());
  }
  QString text(int row, int column) { return find<TableView>("diff.table")->model()->index(row, column).data().toString(); }
  QString subtitle() { return find<QLabel>("diff.subtitle")->text(); }
  QString empty_title() { return window_->page(PageId::kDiff)->findChild<QLabel*>("emptyTitle")->text(); }
};

TEST_F(DiffPage, FindsWhatBecameSlowerAcrossTwoFiles) {
  std::vector<RunKernel> before = testing::unchanged_kernels(1), after = testing::unchanged_kernels(1.1);
  before.push_back({8, "old", 1000, true});
  after.push_back({8, "new", 1650, false});
  open_diff({store("a.db", "first", before), store("b.db", "second", after)});
  choose("diff.before", "first");
  choose("diff.after", "second");
  const auto* table = find<TableView>("diff.table");
  ASSERT_EQ(table->model()->rowCount(), 9);
  EXPECT_EQ(text(8, DiffModel::kVerdict), "same kernel");
  EXPECT_EQ(text(0, DiffModel::kVerdict), "▼ regressed");
  EXPECT_TRUE(text(0, DiffModel::kChange).startsWith("1.49") || text(0, DiffModel::kChange).startsWith("1.50"))
      << text(0, DiffModel::kChange).toStdString();
  EXPECT_TRUE(text(0, DiffModel::kChange).contains("[")) << "never without its interval";
  EXPECT_TRUE(text(0, DiffModel::kBefore).endsWith("✓"));
  EXPECT_TRUE(subtitle().contains("1 regressed, 0 improved")) << subtitle().toStdString();
  EXPECT_TRUE(subtitle().contains("8 the very same, at 1.10"));
  EXPECT_EQ(find<TableView>("diff.environment")->model()->index(0, 0).data().toString(), "the same");

  const PlotSpec& plot = find<PlotCanvas>("diff.changes.canvas")->spec();
  EXPECT_EQ(plot.x.categories.size(), 9);
  EXPECT_EQ(plot.series.back().points.size(), 1U) << "one is called";
  find<TableView>("diff.table")->select_row(0);
  find<QTabWidget>("diff.tabs")->setCurrentIndex(1);
  const PlotSpec& samples = find<PlotCanvas>("diff.samples.canvas")->spec();
  ASSERT_EQ(samples.series.size(), 2U);
  EXPECT_GT(samples.series[0].points.size(), 3U);

  click(find<QPushButton>("diff.swap"));
  ASSERT_TRUE(settle());
  EXPECT_EQ(text(0, DiffModel::kVerdict), "▲ improved");
}

TEST_F(DiffPage, SaysOfEachDeviceWhatItDid) {
  std::vector<RunKernel> before = testing::unchanged_kernels(1), after = testing::unchanged_kernels(1.1);
  before.push_back({8, "old", 1000, false, 1});
  after.push_back({8, "new", 1100, false, 1});
  before.push_back({9, "same", 1000, false, 1});
  after.push_back({9, "same", 1100, false, 1});
  open_diff({store("a.db", "first", before), store("b.db", "second", after)});
  choose("diff.before", "first");
  choose("diff.after", "second");
  EXPECT_TRUE(subtitle().contains("8 the very same on null:0, warm, at 1.10")) << subtitle().toStdString();
  EXPECT_TRUE(subtitle().contains("1 the very same on null:1, warm: too few to tell the drift")) << subtitle().toStdString();
  EXPECT_EQ(text(0, DiffModel::kVerdict), "? inconclusive");
  EXPECT_EQ(text(0, DiffModel::kChange), "–");
  EXPECT_EQ(text(0, DiffModel::kRatio), "1.100×");
  const auto* table = find<TableView>("diff.table");
  for (int row = 0; row < table->model()->rowCount(); ++row) {
    const bool on_second = text(row, DiffModel::kDevice) == "null:1";
    EXPECT_EQ(text(row, DiffModel::kChange) == "–", on_second) << "no figure where the drift is not known, row " << row;
  }
  const std::vector<Series>& drawn = find<PlotCanvas>("diff.changes.canvas")->spec().series;
  const auto raw =
      std::find_if(drawn.begin(), drawn.end(), [](const Series& series) { return series.name.startsWith("drift not known"); });
  ASSERT_NE(raw, drawn.end());
  EXPECT_EQ(raw->points.size(), 2U);
}

TEST_F(DiffPage, RefusedJobsAreNoRunsAndSearchesAreNotJudged) {
  std::vector<RunKernel> before = testing::unchanged_kernels(1), after = testing::unchanged_kernels(1);
  before.push_back({8, "known", 1000, true});
  after.push_back({8, "challenger", 3000, true, 0, false, true});
  store("a.db", "refused", {});
  open_diff({store("a.db", "first", before), store("b.db", "second", after)});
  EXPECT_EQ(find<QComboBox>("diff.after")->count(), 2) << "a run without trials is not offered";
  choose("diff.before", "first");
  choose("diff.after", "second");
  EXPECT_EQ(text(8, DiffModel::kVerdict), "not measured to the end");
  EXPECT_EQ(text(8, DiffModel::kRatio), "–");
  EXPECT_EQ(text(8, DiffModel::kAfter), "–");
  EXPECT_TRUE(subtitle().contains("0 regressed, 0 improved, 1 not measured to the end")) << subtitle().toStdString();
  EXPECT_EQ(find<PlotCanvas>("diff.changes.canvas")->spec().x.categories.size(), 8);
}

TEST_F(DiffPage, AnotherMachineIsSaidAndNotJudged) {
  open_diff(
      {store("a.db", "first", testing::unchanged_kernels(1)), store("b.db", "second", testing::unchanged_kernels(3), "elsewhere")});
  choose("diff.before", "first");
  choose("diff.after", "second");
  EXPECT_EQ(text(0, DiffModel::kVerdict), "another machine");
  EXPECT_EQ(text(0, DiffModel::kChange), "–");
  const auto* environment = find<TableView>("diff.environment")->model();
  EXPECT_EQ(environment->index(0, 0).data().toString(), "machine");
  EXPECT_EQ(environment->index(0, 2).data().toString(), "elsewhere");
}

TEST_F(DiffPage, SaysWhyThereIsNothingToCompare) {
  open_diff({});
  EXPECT_EQ(empty_title(), "Two runs are needed") << "the canned run has no trials";
  open_diff({store("one.db", "only", {{0, "p", 1000, false}})});
  EXPECT_EQ(empty_title(), "There is one run, and nothing to compare it with");
  EXPECT_EQ(find<QComboBox>("diff.before")->currentIndex(), -1);
  EXPECT_TRUE(find<QComboBox>("diff.after")->currentText().contains("tune · null · 1 trial · "))
      << find<QComboBox>("diff.after")->currentText().toStdString();
  open_diff({folder_.filePath("none.db")});
  EXPECT_EQ(empty_title(), "The other file cannot be opened");
  EXPECT_TRUE(find<QLabel>("status.state")->text().contains("none.db"));
  open_diff({store("a.db", "first", {{0, "p", 1000, false}}), store("b.db", "second", {{1, "p", 1000, false}})});
  choose("diff.before", "first");
  choose("diff.after", "second");
  EXPECT_EQ(empty_title(), "No kernel was timed in both runs");
}

}  // namespace
}  // namespace fuselab::gui::test
