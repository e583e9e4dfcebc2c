// SPDX-License-Identifier: Apache-2.0
#include "app/gui/models/history_model.h"

#include <QFile>
#include <QLabel>
#include <cmath>

#include "app/gui/plots/plot_canvas.h"
#include "app/gui/plots/run_plots.h"
#include "app/gui/tables/table_view.h"
#include "tests/gui/support/gate_runs.h"
#include "tests/gui/support/window_fixture.h"

namespace fuselab::gui::test {
namespace {

class HistoryPage : public WindowTest {
 protected:
  void open_history(const QStringList& files) {
    MainWindow::Options options;
    options.history_files = files;
    open(options);
    window_->show_page(PageId::kHistory);
    ASSERT_TRUE(settle());
  }
  QString text(const char* table, int row, int column) {
    return find<TableView>(table)->model()->index(row, column).data().toString();
  }
  QString subtitle() { return find<QLabel>("history.subtitle")->text(); }
  QString empty_title() { return window_->page(PageId::kHistory)->findChild<QLabel*>("emptyTitle")->text(); }
};

TEST_F(HistoryPage, ShowsWhereTheLevelOfACaseChanged) {
  open_history({write_gate_runs(folder_.path())});
  const auto* table = find<TableView>("history.table");
  ASSERT_EQ(table->model()->rowCount(), 2);
  EXPECT_EQ(text("history.table", 0, HistoryModel::kCase), "softmax")
      << "what changed comes first, though it is the file's second case";
  EXPECT_TRUE(text("history.table", 0, HistoryModel::kChange).startsWith("▼ +"));
  EXPECT_EQ(text("history.table", 1, HistoryModel::kChange), "none");
  EXPECT_EQ(text("history.table", 0, HistoryModel::kRuns), "40");
  EXPECT_TRUE(subtitle().contains("40 runs")) << subtitle().toStdString();
  EXPECT_TRUE(subtitle().contains("1 changed"));

  ASSERT_EQ(find<TableView>("history.changes")->model()->rowCount(), 1);
  EXPECT_TRUE(text("history.changes", 0, ChangeModel::kSize).startsWith("▼ slower +"));
  EXPECT_TRUE(text("history.changes", 0, ChangeModel::kSince).startsWith("c00000000025"));
  EXPECT_TRUE(text("history.changes", 0, ChangeModel::kCommits).contains("at the latest"));
  EXPECT_EQ(text("history.changes", 0, ChangeModel::kEnvironment), "driver: 1 → 2");

  find<TableView>("history.table")->select_row(1);
  EXPECT_EQ(find<TableView>("history.changes")->model()->rowCount(), 0);
  EXPECT_TRUE(find<PlotCanvas>("history.plot.canvas")->spec().title.startsWith("gelu on cpu:0"));
}

TEST_F(HistoryPage, ItsPlotHasTheRunsBothLevelsAndWhereItChanged) {
  open_history({write_gate_runs(folder_.path())});
  const PlotSpec& spec = find<PlotCanvas>("history.plot.canvas")->spec();
  const auto series = [&spec](const char* name) {
    std::vector<const Series*> found;
    for (const Series& each : spec.series) {
      if (each.name == name) found.push_back(&each);
    }
    return found;
  };
  ASSERT_EQ(series("level").size(), 2U);
  EXPECT_NEAR(series("level")[0]->points.front().y, 1, 0.01);
  EXPECT_NEAR(series("level")[1]->points.front().y, 1.1, 0.01);
  ASSERT_EQ(series("change").size(), 1U);
  EXPECT_EQ(series("change")[0]->points.front().x, 25.5) << "between run 25 and 26";
  ASSERT_EQ(series("one run, 95 %").size(), 1U);
  EXPECT_EQ(series("one run, 95 %")[0]->points.size(), 39U);
  EXPECT_TRUE(std::isfinite(series("one run, 95 %")[0]->points.front().low));
  ASSERT_EQ(series("outlier, at the edge")[0]->points.size(), 1U);
  EXPECT_TRUE(series("outlier, at the edge")[0]->points.front().label.endsWith("3.000×"))
      << "the truth is told where the picture cannot";
}

TEST_F(HistoryPage, SaysWhatToDoAndWhatIsWrong) {
  open_history({});
  EXPECT_EQ(empty_title(), "No runs of the gate opened");
  const QString file = folder_.filePath("broken.jsonl");
  QFile broken(file);
  ASSERT_TRUE(broken.open(QIODevice::WriteOnly));
  broken.write("not one line of JSON\n");
  broken.close();
  open_history({file});
  EXPECT_EQ(empty_title(), "The runs cannot be read");
  EXPECT_TRUE(subtitle().contains("broken.jsonl")) << subtitle().toStdString();
}

TEST_F(HistoryPage, OpensOnTheFilesOfLastTime) {
  open_history({write_gate_runs(folder_.path())});
  open_history({});
  EXPECT_EQ(find<TableView>("history.table")->model()->rowCount(), 2);
}

}  // namespace
}  // namespace fuselab::gui::test
