// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/gate/gate_page.h"

#include <QFile>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>

#include "app/gui/plots/plot_canvas.h"
#include "app/gui/tables/table_view.h"
#include "tests/gui/support/gate_runs.h"
#include "tests/gui/support/window_fixture.h"

namespace fuselab::gui::test {
namespace {

class Gate : public WindowTest {
 protected:
  void open_gate(const QStringList& files) {
    MainWindow::Options options;
    options.history_files = files;
    open(options);
    window_->show_page(PageId::kGate);
    ASSERT_TRUE(settle());
  }
  QString text(int row, int column) { return find<TableView>("gate.table")->model()->index(row, column).data().toString(); }
  QString subtitle() { return find<QLabel>("gate.subtitle")->text(); }
  QString write(const char* name, const QByteArray& content) {
    QFile file(folder_.path() + QLatin1Char('/') + QLatin1String(name));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(content);
    return file.fileName();
  }
};

CaseOutcome sample_outcome() {
  CaseOutcome outcome;
  outcome.name = "softmax";
  outcome.device = "cpu:0";
  outcome.backend = "cpu";
  outcome.state = CaseState::kRegressed;
  outcome.reason = "slower";
  outcome.margin = 0.01;
  outcome.detect = 0.05;
  outcome.drill = 0.05;
  outcome.reproduce = "fuselab check --case softmax";
  outcome.log_ratios = {{0.05, 0.04}, {0.06, 0.05}};
  ComparisonResult result;
  result.ratio = 1.05;
  result.interval = {1.04, 1.06};
  result.processes = 2;
  result.pairs = 2;
  result.within_deviation = 0.01;
  result.between_deviation = 0.01;
  outcome.comparison = result;
  return outcome;
}

TEST_F(Gate, OpensTheLastRunOfCi) {
  open_gate({write_gate_runs(folder_.path())});
  ASSERT_EQ(find<TableView>("gate.table")->model()->rowCount(), 2);
  EXPECT_EQ(text(0, GateModel::kVerdict), "equivalent");
  EXPECT_TRUE(text(0, GateModel::kRatio).startsWith("1.")) << text(0, GateModel::kRatio).toStdString();
  EXPECT_EQ(text(0, GateModel::kSeen), "+2 %");
  EXPECT_TRUE(text(0, GateModel::kVariance).contains("within blocks"));
  EXPECT_TRUE(subtitle().startsWith("2 cases: 2 equivalent")) << subtitle().toStdString();
  EXPECT_TRUE(find<QPlainTextEdit>("gate.facts")->toPlainText().contains("Baseline: paired, main.baseline"));
  EXPECT_FALSE(find<QPushButton>("gate.cancel")->isEnabled());
  EXPECT_TRUE(find<QPushButton>("gate.check")->isEnabled());
}

TEST_F(Gate, SaysWhatIsWrongWithAFile) {
  open_gate({write("other.jsonl", "{\"some\": 1}\n")});
  EXPECT_TRUE(subtitle().contains("is no run of the gate")) << subtitle().toStdString();
}

TEST_F(Gate, SaysWhatIsWrongWithCases) {
  open_gate({});
  auto* page = static_cast<GatePage*>(window_->page(PageId::kGate));
  page->run_check(write("fuselab.toml", "[[case]]\nsubjects = 'w3'\n"));
  ASSERT_TRUE(settle());
  EXPECT_TRUE(subtitle().contains("fuselab.toml:2")) << subtitle().toStdString();
  page->save_baseline(folder_.path() + "/absent.toml");
  ASSERT_TRUE(settle());
  EXPECT_TRUE(subtitle().contains("absent.toml")) << subtitle().toStdString();
}

TEST(GatePlot, HasEveryRoundTheProcessesAndTheMargin) {
  const PlotSpec spec = gate_plot(sample_outcome());
  ASSERT_EQ(spec.series.size(), 4U);
  EXPECT_EQ(spec.series[0].points.size(), 4U);
  EXPECT_EQ(spec.series[1].points.size(), 4U) << "two ends of two processes";
  EXPECT_NEAR(spec.series[2].points[0].y, 1.01, 1e-12);
  EXPECT_TRUE(is_empty(gate_plot(CaseOutcome())));
  CaseOutcome stalled = sample_outcome();
  stalled.log_ratios[0].push_back(4);
  const PlotSpec edge = gate_plot(stalled);
  ASSERT_EQ(edge.series.size(), 5U);
  ASSERT_EQ(edge.series[2].points.size(), 1U) << "drawn at the edge, so that the others are seen";
  EXPECT_LT(edge.series[2].points[0].y, 2);
  EXPECT_TRUE(edge.series[2].points[0].label.endsWith("54.598×")) << edge.series[2].points[0].label.toStdString();
}

TEST(GateModel, MarksDrillsAndNamesTheCommandThatRepeatsACase) {
  auto report = std::make_shared<CheckReport>();
  report->cases = {CaseOutcome(), sample_outcome()};
  report->cases[0].name = "norm";
  report->cases[0].state = CaseState::kSame;
  report->exit_code = 1;
  GateModel model;
  model.set_report(report);
  ASSERT_EQ(model.rowCount(), 2);
  EXPECT_EQ(model.outcome(0)->name, "softmax") << "the worst first";
  EXPECT_EQ(model.index(0, GateModel::kCase).data().toString(), "softmax (drill +5 %)");
  EXPECT_EQ(model.index(1, GateModel::kRatio).data().toString(), "–");
  EXPECT_TRUE(gate_facts(sample_outcome()).contains("Again: fuselab check --case softmax"));
  EXPECT_EQ(gate_summary(*report), "2 cases: 1 same, 1 regressed · exit code 1");
}

}  // namespace
}  // namespace fuselab::gui::test
