// SPDX-License-Identifier: Apache-2.0
// The Profile page on the real engine, and its tables and plots on a profile that was made here.
#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTextBrowser>

#include "app/gui/look/figures.h"
#include "app/gui/pages/results/trial_detail.h"
#include "app/gui/profiles/code_model.h"
#include "app/gui/profiles/code_view.h"
#include "app/gui/profiles/profile_plots.h"
#include "app/gui/profiles/word_table_model.h"
#include "app/gui/tables/table_view.h"
#include "tests/gui/support/canned_profile.h"
#include "tests/gui/support/real_window.h"

namespace fuselab::gui::test {
namespace {

Profile made_profile() {
  Profile profile;
  profile.piece = "norm";
  profile.device_id = "cpu:0";
  profile.median_ns = 1000;
  profile.standing.flops = 2000;
  profile.standing.peak_flops = 1e11;
  for (const auto& [level, rate, bytes] : {std::tuple{"L1", 4e11, 800.0}, std::tuple{"memory", 1e10, 400.0}}) {
    RooflineLevel each;
    each.level = level;
    each.bytes_per_second = rate;
    each.bytes = bytes;
    each.source = "compulsory";
    profile.standing.levels.push_back(each);
  }
  SweepPoint point;
  point.what = "rows=8";
  point.median_ns = 50;
  point.bytes = 4096;
  profile.sweep.points = {point};
  return profile;
}

TEST(ProfilePlots, HaveALineAndADotForEachLevel) {
  const PlotSpec roofline = profile_roofline(made_profile());
  ASSERT_EQ(roofline.series.size(), 5U) << "two of each level, and the arithmetic";
  const PlotPoint& memory = roofline.series[3].points.front();
  EXPECT_DOUBLE_EQ(memory.x, 5) << "2000 FLOPs over 400 bytes";
  EXPECT_DOUBLE_EQ(memory.y, 2e9) << "2000 FLOPs in 1000 ns";
  for (const PlotPoint& end : roofline.series[2].points) EXPECT_NEAR(end.y / end.x, 1e10, 1) << "on the roof";
  EXPECT_EQ(sweep_plot(made_profile()).series.size(), 1U);
}

TEST(ProfilePlots, TheTimelineHasALaneForEachThreadAndAColourForEachKind) {
  const std::vector<TraceSpan> spans = {{{"engine", "job"}, "profile", "job", {1000}, {900}, {}},
                                        {{"cpu:0", "measure 7"}, "launch a", "launch", {1100}, {50}, {}},
                                        {{"cpu:0", "measure 7"}, "launch b", "launch", {1200}, {60}, {}}};
  const PlotSpec plot = timeline_plot(spans);
  EXPECT_EQ(plot.y.categories, (QStringList{QStringLiteral("engine, job"), QStringLiteral("cpu:0, measure 7")}));
  ASSERT_EQ(plot.series.size(), 3U);
  EXPECT_EQ(plot.series[1].color, plot.series[2].color);
  EXPECT_NE(plot.series[0].color, plot.series[1].color);
  EXPECT_TRUE(plot.series[1].in_legend);
  EXPECT_FALSE(plot.series[2].in_legend) << "a kind is named once";
  EXPECT_DOUBLE_EQ(plot.series[1].points.back().x - plot.series[1].points.front().x, 60) << "the longest first";
  EXPECT_TRUE(is_empty(timeline_plot({})));
}

TEST(ProfilePlots, TheTimelineBeginsAtZero) {
  const PlotSpec plot = timeline_plot({{{"engine", "job"}, "profile", "job", {1000}, {900}, {}}});
  EXPECT_EQ(plot.x.text(-1e-12), "0") << "never -0.00 ns";
  EXPECT_EQ(plot.x.text(0), "0");
  EXPECT_NE(plot.x.text(500), "0");
}

TEST(ProfilePlots, TheRooflineSpansTheRidgesOfAllItsRoofs) {
  const PlotSpec roofline = profile_roofline(made_profile());
  for (const Series& series : roofline.series) {
    if (series.mark != Mark::kLine || series.points.size() < 2) continue;
    EXPECT_LT(series.points.front().x, series.points.back().x) << series.name.toStdString();
    for (const PlotPoint& point : series.points) EXPECT_LE(point.y, 1e11 * (1 + 1e-9)) << series.name.toStdString();
  }
  EXPECT_TRUE(roofline.series[2].name.startsWith("DRAM")) << roofline.series[2].name.toStdString();
  EXPECT_TRUE(roofline.x.title.contains("FLOP/byte"));
}

TEST(ProfilePlots, SizesOnFewerThreadsAreAnotherKindOfPoint) {
  Profile profile = made_profile();
  SweepPoint point = profile.sweep.points.front();
  point.threads = 2;
  profile.sweep.points.push_back(point);
  const PlotSpec plot = sweep_plot(profile);
  ASSERT_EQ(plot.series.size(), 2U);
  EXPECT_EQ(plot.series[0].name, "2 threads");
  EXPECT_EQ(plot.series[1].name, "1 thread");
}

TEST(ProfilePlots, ASeriesIsALineOfEachCounterThatHasValues) {
  const PlotSpec plot = series_plot(canned_profile().profile.series);
  ASSERT_EQ(plot.series.size(), 1U);
  EXPECT_DOUBLE_EQ(plot.series[0].points[0].y, 0.25 / 0.75);
  EXPECT_DOUBLE_EQ(plot.series[0].points[1].y, 1);
  EXPECT_DOUBLE_EQ(plot.series[0].points[2].x, 10000);
  EXPECT_EQ(series_plot({"", 0, 0, {}, {}, false, "denied"}).empty_text, QStringLiteral("denied"));
}

TEST(ProfilePlots, SayWhyThereIsNothing) {
  Profile profile = made_profile();
  profile.median_ns = 0;
  EXPECT_NE(profile_roofline(profile).empty_text.indexOf(QStringLiteral("not measured")), -1);
  profile.standing.levels.clear();
  profile.standing.why_no_levels = "no ceilings";
  EXPECT_EQ(profile_roofline(profile).empty_text, QStringLiteral("no ceilings"));
  profile.sweep = {{}, "one size alone"};
  EXPECT_EQ(sweep_plot(profile).empty_text, QStringLiteral("one size alone"));
}

TEST(WordTableModel, ShowsWordsAsTheyAre) {
  WordTableModel model;
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.show({{"what", "value"}, {{"cycles", "12"}, {"reason"}}});
  ASSERT_EQ(model.rowCount(), 2);
  EXPECT_EQ(model.index(0, 1).data().toString(), QStringLiteral("12"));
  EXPECT_EQ(model.index(1, 1).data().toString(), QString()) << "a short row";
  model.show({});
  EXPECT_EQ(model.rowCount(), 0);
}

TEST(CodeView, ALineAndItsInstructionsAreChosenTogether) {
  CodeView view(QStringLiteral("code"));
  const QAbstractItemModelTester source(view.source_table()->model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
  const QAbstractItemModelTester code(view.code_table()->model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
  view.show_code(canned_profile());
  EXPECT_EQ(view.source_table()->selected_rows(), std::vector<int>{3}) << "the hottest line";
  EXPECT_EQ(view.code_table()->selected_rows(), (std::vector<int>{1, 2}));
  EXPECT_EQ(view.source_table()->model()->index(3, 3).data().toString(), QStringLiteral("1.00")) << "cycles of both";
  view.source_table()->select_row(2);
  EXPECT_EQ(view.code_table()->selected_rows(), (std::vector<int>{0, 5, 6, 7})) << "wherever they are";
  view.code_table()->select_row(4);
  EXPECT_EQ(view.source_table()->selected_rows(), std::vector<int>{4});
  view.source_table()->select_row(0);
  EXPECT_TRUE(view.code_table()->selected_rows().empty()) << "a comment makes no instruction";
  view.show_code({});
  EXPECT_EQ(view.source_table()->model()->rowCount(), 0);
}

TEST(CodeView, EachFunctionIsASectionOfItsOwn) {
  CodeView view(QStringLiteral("code"));
  view.show_code(canned_profile_of_two_functions());
  const auto* const model = view.code_table()->model();
  ASSERT_EQ(model->rowCount(), 9 + 2 + 2) << "with two headings";
  EXPECT_EQ(model->index(0, 1).data().toString(), QStringLiteral("row"));
  EXPECT_EQ(model->index(9, 1).data().toString(), QStringLiteral("ret"));
  EXPECT_EQ(model->index(10, 1).data().toString(), QStringLiteral("fold"));
  EXPECT_EQ(model->index(11, 1).data().toString(), QStringLiteral("mov %eax,%ecx"));
  EXPECT_EQ(view.code_table()->selected_rows(), (std::vector<int>{2, 3, 11})) << "of the hottest line, in both";
}

class ProfilePageTest : public RealWindowTest {};

TEST_F(ProfilePageTest, ItsFieldsHaveRoomInTheSmallestWindow) {
  open();
  window_->show_page(PageId::kProfile);
  window_->resize(MainWindow::kSmallest);
  ASSERT_TRUE(settle());
  EXPECT_GE(find<QLineEdit>("profile.binding")->width(), 100);
  EXPECT_GE(find<QComboBox>("profile.subject")->width(), 150);
  EXPECT_FALSE(find<QComboBox>("profile.device")->currentText().isEmpty());
}

TEST_F(ProfilePageTest, ASubjectOfTheCommandLineIsChosenAndNotYetProfiled) {
  open();
  window_->show_page(PageId::kProfile, QStringLiteral("choose:w10"));
  ASSERT_TRUE(settle());
  EXPECT_EQ(find<QComboBox>("profile.subject")->currentText(), QStringLiteral("w10"));
  EXPECT_FALSE(find<QPushButton>("profile.save")->isEnabled());
}

TEST_F(ProfilePageTest, ForATargetItRunsNothingAndSaysSo) {
  open();
  window_->show_page(PageId::kProfile);
  ASSERT_TRUE(settle());
  auto* const device = find<QComboBox>("profile.device");
  device->setCurrentIndex(device->findData(QStringLiteral("target:x86-64-v3")));
  ASSERT_GE(device->currentIndex(), 0);
  window_->show_page(PageId::kProfile, QStringLiteral("graph(x: f32[64,512]) { y = Softmax(x); return y }"));
  ASSERT_TRUE(settle());
  EXPECT_NE(find<QTextBrowser>("profile.verdict")->toPlainText().indexOf(QStringLiteral("Nothing ran")), -1)
      << find<QLabel>("profile.line")->text().toStdString();
}

TEST_F(ProfilePageTest, ProfilesWhatWasNeverMeasuredAndSaysSo) {
  open();
  window_->show_page(PageId::kProfile, QStringLiteral("graph(x: f32[64,512]) { y = Softmax(x); return y }"));
  ASSERT_TRUE(settle());
  EXPECT_FALSE(find<QTextBrowser>("profile.verdict")->toPlainText().isEmpty())
      << find<QLabel>("profile.line")->text().toStdString();
  EXPECT_GT(find<TableView>("profile.counters")->model()->rowCount(), 0);
  EXPECT_TRUE(find<QPushButton>("profile.save")->isEnabled());
}

TEST_F(ProfilePageTest, TheFactsOfATrialSayWhatBoundsItOnceItWasProfiled) {
  std::string trial;
  {
    auto opened = engine::Engine::open(config());
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    engine::JobSpec job;
    job.verb = engine::JobSpec::Verb::kBench;
    job.subjects = {"graph(x: f32[64,512]) { y = Softmax(x); return y }"};
    job.devices.only = {"cpu:0"};
    job.decide_gains = false;
    const auto started = opened.value()->start(job);
    ASSERT_TRUE(started.ok()) << started.error().message;
    ASSERT_TRUE(started.value()->wait_for(std::chrono::minutes(1)));
    const auto rows = opened.value()->queries().page({}, TrialOrder::kNewestFirst, 0, 1);
    ASSERT_TRUE(rows.ok() && !rows.value().empty());
    trial = rows.value().front().id;
  }
  open();
  window_->show_page(PageId::kResults);
  ASSERT_TRUE(settle());
  auto* const detail = window_->page(PageId::kResults)->findChild<TrialDetail*>();
  ASSERT_NE(detail, nullptr);
  const auto facts = [&] {
    detail->show_trial({});
    detail->show_trial(text_of(trial));
    EXPECT_TRUE(settle());
    return find<QTextBrowser>("results.facts")->toPlainText();
  };
  EXPECT_NE(facts().indexOf(QStringLiteral("finds out")), -1);
  window_->show_page(PageId::kProfile, QStringLiteral("trial:") + text_of(trial));
  ASSERT_TRUE(settle());
  EXPECT_EQ(facts().indexOf(QStringLiteral("finds out")), -1);
}

TEST_F(ProfilePageTest, WhileItWorksItSaysWhat) {
  open();
  const QString graph = QStringLiteral("graph(x: f32[64,512]) { y = Softmax(x); return y }");
  window_->show_page(PageId::kProfile);
  ASSERT_TRUE(settle());
  auto* const piece = find<QComboBox>("profile.piece");
  EXPECT_EQ(piece->currentText(), "the slowest piece");
  EXPECT_FALSE(piece->isEnabled()) << "nothing of it was measured";
  const auto title = [this] { return window_->page(PageId::kProfile)->findChild<QLabel*>("emptyTitle")->text(); };
  EXPECT_EQ(title(), "Nothing profiled yet");
  window_->page(PageId::kProfile)->go_to(graph);
  EXPECT_TRUE(title().startsWith("Profiling graph(x")) << title().toStdString();
  ASSERT_TRUE(settle());
  const QString verdict = find<QTextBrowser>("profile.verdict")->toPlainText();
  EXPECT_TRUE(verdict.section(u'\n', 0, 0).contains(u'%') || verdict.contains("not measured")) << verdict.toStdString();
}

TEST_F(ProfilePageTest, WhatCannotBeProfiledIsSaidInALine) {
  open();
  window_->show_page(PageId::kProfile, QStringLiteral("trial:nosuch"));
  ASSERT_TRUE(settle());
  EXPECT_FALSE(find<QLabel>("profile.line")->text().isEmpty());
  EXPECT_FALSE(find<QPushButton>("profile.save")->isEnabled());
}

}  // namespace
}  // namespace fuselab::gui::test
