// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <QAbstractItemView>
#include <QFile>
#include <QGraphicsScene>
#include <QGraphicsTextItem>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QXmlStreamReader>
#include <QtCharts/QBarSeries>
#include <QtCharts/QBarSet>
#include <cmath>

#include "app/gui/plots/builders.h"
#include "app/gui/plots/chart_panel.h"
#include "app/gui/plots/charts.h"
#include "app/gui/plots/plot_canvas.h"
#include "app/gui/plots/roofline.h"
#include "app/gui/plots/run_plots.h"
#include "tests/gui/support/canned.h"

namespace fuselab::gui::test {
namespace {

HardwareCeilings ceilings_of_cpu(std::int64_t last_cache = 0) {
  return {"CPU", {"cpu:0"}, canned_catalog().ceilings.back().second, last_cache, true};
}

TEST(Roofline, DrawsTheRoofsOfMemoryAndCacheOnceForTheHardware) {
  constexpr std::int64_t kMiB = 1 << 20;
  HardwareCeilings cpu = ceilings_of_cpu(32 * kMiB);
  cpu.devices.insert("onednn:0");
  const PlotSpec spec = roofline_plot(canned_table(), {cpu});
  QStringList names;
  double peak = 0;
  for (const Series& series : spec.series) {
    if (series.mark != Mark::kLine) continue;
    names << series.name.section(u',', 0, 0);
    for (const PlotPoint& point : series.points) peak = std::max(peak, point.y);
  }
  EXPECT_EQ(names, QStringList({"CPU: DRAM", "CPU: cache"}));
  EXPECT_NEAR(peak, 1.41e12, 1e9);
  EXPECT_EQ(spec.x.scale, Scale::kLog);
  EXPECT_EQ(spec.y.scale, Scale::kLog);
  EXPECT_EQ(spec.x.title, "arithmetic intensity (FLOP/byte)");
}

TEST(Roofline, SaysWhyDramHasNoRoof) {
  constexpr std::int64_t kMiB = 1 << 20;
  const auto spec_of = [](std::int64_t largest) {
    HardwareCeilings cpu = ceilings_of_cpu(32 * kMiB);
    std::erase_if(cpu.table.rows, [largest](const Ceiling& row) { return row.footprint.count > largest; });
    return roofline_plot(canned_table(), {cpu});
  };
  const auto roofs = [](const PlotSpec& spec) {
    return std::count_if(spec.series.begin(), spec.series.end(), [](const Series& series) { return series.mark == Mark::kLine; });
  };
  EXPECT_EQ(roofs(spec_of(512 * kMiB)), 2);
  EXPECT_EQ(roofs(spec_of(8 * kMiB)), 1) << "the fastest of the caches";
  const PlotSpec small = spec_of(8 * kMiB);
  const auto cache =
      std::find_if(small.series.begin(), small.series.end(), [](const Series& each) { return each.mark == Mark::kLine; });
  ASSERT_NE(cache, small.series.end());
  EXPECT_TRUE(cache->name.endsWith(QString::fromUtf8("· DRAM not measured"))) << cache->name.toStdString();
  EXPECT_TRUE(cache->points.front().label.endsWith("no roof of DRAM: nothing above the cache of 32.0 MiB was measured"))
      << cache->points.front().label.toStdString();
}

TEST(Roofline, BackendsOfOneProcessorShareWhatAnyOfThemReached) {
  DeviceInfo cpu, library, gpu;
  cpu.id = "cpu:0";
  library.id = "onednn:0";
  gpu.id = "cuda:0";
  cpu.type = library.type = "cpu";
  gpu.type = "gpu";
  const CeilingTable measured = canned_catalog().ceilings.back().second;
  const auto all = ceilings_by_hardware({library, cpu, gpu},
                                        [&](const DeviceInfo& device) { return device.id == "cpu:0" ? measured : CeilingTable(); });
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].name, "CPU");
  EXPECT_EQ(all[0].devices, (std::set<std::string>{"cpu:0", "onednn:0"}));
  EXPECT_EQ(all[0].table.peak_flops(), measured.peak_flops()) << "a library measures no ceilings, and its processor's hold";
  EXPECT_EQ(all[1].name, "cuda:0");
  EXPECT_TRUE(all[1].table.rows.empty());
}

TEST(Roofline, TakesTheRecommendedPlanOfEachPieceAndKeepsTheOthersApart) {
  engine::CompareTable table = canned_table();
  table.rows[4].recommended_plan = PlanKind::kUnfused;  // fusion loses there
  const PlotSpec spec = roofline_plot(table, {});
  ASSERT_EQ(spec.series.size(), 2u);
  const Series &others = spec.series[0], &recommended = spec.series[1];
  EXPECT_EQ(recommended.points.size(), 7u) << "one dot per measured piece";
  EXPECT_EQ(others.points.size(), 3 * recommended.points.size()) << "the other plan there, and both of the other device";
  const engine::CompareRow& unfused = table.rows[4];
  const auto dot = std::find_if(recommended.points.begin(), recommended.points.end(),
                                [&](const PlotPoint& point) { return point.key.toStdString() == unfused.piece_key; });
  ASSERT_NE(dot, recommended.points.end());
  EXPECT_NEAR(dot->y, unfused.cost.flops * 1e9 / unfused.cells[0].unfused.figure->median_ns, 1);
}

TEST(Convergence, FollowsTheBestAndMarksWhatGaveNoFigure) {
  const std::vector<ConvergencePoint> points = {
      {1, 0.0, 900, 900, "", ""}, {2, 1.5, 0, 900, "vector=4", "two", "dropped: too slow"}, {3, 3.0, 700, 700, "", ""}};
  const PlotSpec spec = convergence_plot(points, true, "softmax");
  ASSERT_EQ(spec.series.size(), 3u);
  EXPECT_EQ(spec.series[0].points.size(), 2u) << "a trial that was not timed has no time to draw";
  EXPECT_EQ(spec.series[1].points.back().x, 3.0);
  EXPECT_EQ(convergence_plot(points, false, "").series[1].points.back().x, 3);
  const Series& crosses = spec.series[2];
  EXPECT_EQ(crosses.mark, Mark::kCrosses);
  EXPECT_TRUE(crosses.in_legend);
  ASSERT_EQ(crosses.points.size(), 1u);
  EXPECT_EQ(crosses.points[0].label, QString::fromUtf8("dropped: too slow · vector=4"));

  PlotCanvas canvas;
  canvas.resize(600, 400);
  canvas.set_spec(spec);
  canvas.show();
  const QPointF at = position_of(spec, canvas.plot_layout(), {2, 0});
  EXPECT_NEAR(at.y(), canvas.plot_layout().frame.bottom(), 10) << "on the axis";
  EXPECT_EQ(point_at(spec, canvas.plot_layout(), at, 5), (PointRef{2, 0}));
  const QColor ink = colors_for(&canvas).series_color(crosses.color);
  EXPECT_EQ(canvas.grab().toImage().pixelColor(at.toPoint() * canvas.devicePixelRatioF()).hue(), ink.hue());
  EXPECT_TRUE(is_empty(convergence_plot({points[1]}, true, ""))) << "crosses without a scale say nothing";
  EXPECT_TRUE(convergence_plot({points[1]}, true, "").empty_text.contains("1 dropped as too slow, 0 failed"));
  const PlotSpec crashed = convergence_plot({points[0], {2, 1.5, 0, 900, "vector=8", "three", "crashed"}}, true, "");
  ASSERT_EQ(crashed.series.size(), 4u) << "what is too slow has not failed";
  EXPECT_TRUE(crashed.series[2].points.empty());
  EXPECT_EQ(crashed.series[3].name, "failed");
  EXPECT_EQ(crashed.series[3].points.size(), 1u);
}

TEST(RunOrder, LabelsMoreThanOneSampleHoweverFewThereAre) {
  for (const std::size_t samples : {2u, 7u, 24u}) {
    const PlotSpec spec = run_order_plot({{std::vector<double>(samples, 50'000), 50'000, "now", true}});
    const PlotLayout layout = layout_plot(spec, QRectF(0, 0, 340, 300), QFont());
    const std::vector<double> ticks = layout.x.ticks(6);
    EXPECT_GE(std::count_if(ticks.begin(), ticks.end(), [](double tick) { return tick == std::round(tick); }), 2) << samples;
  }
  EXPECT_GE(AxisScale(Scale::kLinear, 0.7, 7.3, 0, 240).ticks(1).size(), 2u);
}

TEST(Charts, TakesQuartilesBetweenOrderStatistics) {
  const FiveNumbers five = five_numbers({4, 1, 3, 2, 5});
  EXPECT_EQ(five.minimum, 1);
  EXPECT_EQ(five.lower, 2);
  EXPECT_EQ(five.median, 3);
  EXPECT_EQ(five.upper, 4);
  EXPECT_EQ(five.maximum, 5);
  EXPECT_EQ(five_numbers({}).maximum, 0);
}

TEST(Charts, TotalsSayWhenThereIsNothingToAddUp) {
  TotalsChart chart;
  chart.set_totals({{"cpu:0", 0, 0, 0, 0, 0, 8}});
  EXPECT_TRUE(chart.chart()->title().contains("No piece of this model has a figure yet"));
  chart.set_totals(canned_table().totals);
  EXPECT_TRUE(chart.chart()->title().isEmpty());
}

QStringList texts_in(const QGraphicsView& chart) {
  QStringList texts;
  for (const QGraphicsItem* item : chart.scene()->items()) {
    const auto* text = dynamic_cast<const QGraphicsTextItem*>(item);
    if (text != nullptr && text->isVisible()) texts << text->toPlainText();
  }
  return texts;
}

TEST(Charts, LabelTheBoxPlotAtRoundNumbers) {
  BoxChart chart;
  chart.resize(340, 170);
  chart.set_samples({48'900, 49'100, 50'000, 50'000, 50'050, 50'100, 59'300});
  chart.show();
  chart.grab();
  const QStringList texts = texts_in(chart);
  EXPECT_TRUE(texts.contains("50")) << texts.join(' ').toStdString();
  EXPECT_TRUE(texts.contains("60")) << texts.join(' ').toStdString();
  for (const QString& text : texts) {
    if (!text.startsWith("n =")) {
      EXPECT_EQ(text.toDouble() / 5, std::round(text.toDouble() / 5)) << text.toStdString();
    }
  }
}

TEST(Charts, TotalsShowEveryLabelWholeInASmallChart) {
  TotalsChart chart;
  chart.set_totals(canned_table().totals);
  for (const QSize size : {QSize(352, 110), QSize(505, 170), QSize(800, 300)}) {
    chart.resize(size);
    chart.show();
    chart.grab();
    const QString texts = texts_in(chart).join(' ');
    EXPECT_FALSE(texts.contains("...") || texts.contains(QString::fromUtf8("…"))) << size.width() << ": " << texts.toStdString();
    for (const char* name : {"cpu:0", "opencl:0", "best mix", "unfused", "fused", "ideal", "100"})
      EXPECT_TRUE(texts.contains(name)) << size.width() << ": " << name << " in " << texts.toStdString();
  }
}

TEST(Charts, DrawTheIdealAsThePlotsDo) {
  TotalsChart chart;
  chart.set_totals(canned_table().totals);
  const auto* bars = qobject_cast<QBarSeries*>(chart.chart()->series().front());
  ASSERT_NE(bars, nullptr);
  EXPECT_EQ(bars->barSets()[2]->pen().style(), Qt::DashLine);
  EXPECT_LT(bars->barSets()[2]->brush().color().alphaF(), 0.5F);
  EXPECT_EQ(bars->barSets()[1]->pen().style(), Qt::SolidLine);
}

// A bar over fewer pieces beside a whole one would say that the device is the faster one.
TEST(Charts, TotalsDrawSumsOverTheSamePiecesOnly) {
  TotalsChart chart;
  chart.resize(500, 300);
  chart.set_totals({{"cpu:0", 9e6, 7e6, 3e6, 0, 10, 10}, {"cuda:0", 0, 0, 0, 0, 4, 10}, {"best mix", 9e6, 7e6, 3e6, 0, 10, 10}});
  chart.show();
  chart.grab();
  EXPECT_FALSE(texts_in(chart).contains("cuda:0"));
  EXPECT_TRUE(texts_in(chart).contains("cpu:0"));
  EXPECT_TRUE(chart.chart()->title().isEmpty());
  const QImage plain = chart.grab().toImage();
  engine::ModelTotal completed{"cpu:0", 9e6, 7e6, 3e6, 0, 8, 10};
  completed.completed_pieces = 2;
  completed.completed_ns = 3e6;
  completed.completed_unfused_ns = 4e6;
  chart.set_totals({completed, {"best mix", 9e6, 7e6, 3e6, 0, 10, 10}});
  EXPECT_EQ(chart.chart()->title(), "hatched: runs elsewhere");
  EXPECT_NE(chart.grab().toImage(), plain);
  const PlotSpec plot = totals_plot({completed, {"cuda:0", 0, 0, 0, 0, 4, 10}});
  EXPECT_EQ(plot.x.categories.size(), 1);
  EXPECT_EQ(plot.series[1].points[0].label, "3.00 ms of it elsewhere");
}

TEST(ChartPanel, HasItsTableAndItsExportsAsEveryPlot) {
  auto* chart = new TotalsChart;
  ChartPanel panel("test", chart);
  panel.resize(500, 300);
  chart->set_totals(canned_table().totals);
  panel.set_figures(totals_plot(canned_table().totals));
  panel.show();
  QTest::mouseClick(panel.findChild<QToolButton*>("test.toggle"), Qt::LeftButton);
  EXPECT_TRUE(panel.shows_table());
  EXPECT_EQ(panel.findChild<QAbstractItemView*>("test.table")->model()->rowCount(), 9)
      << "three figures on two devices and the mix";
  panel.show_table(false);
  const QTemporaryDir folder;
  for (const char* name : {"a.png", "a.svg", "a.csv"}) panel.save(folder.filePath(name));
  EXPECT_EQ(QImage(folder.filePath("a.png")).size(), chart->size() * 2);
  const auto text_in = [&folder](const char* name) {
    QFile file(folder.filePath(name));
    EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << name;
    return QString::fromUtf8(file.readAll());
  };
  EXPECT_TRUE(text_in("a.csv").contains("\"fused\",\"\",\"best mix\",53200000"));
  const QString svg = text_in("a.svg");
  QXmlStreamReader xml(svg);
  while (!xml.atEnd()) xml.readNext();
  EXPECT_FALSE(xml.hasError()) << xml.errorString().toStdString();
  EXPECT_TRUE(svg.contains("best mix")) << "text, not a picture of it";
  EXPECT_EQ(spread_plot({4, 1, 3, 2, 5}).series.front().points[1].y, 2) << "the lower quartile";
  EXPECT_EQ(spread_plot({4000, 1000, 3000, 2000, 5000}).title, QString::fromUtf8("Spread (µs)")) << "in what the axis counts";
  EXPECT_EQ(totals_plot(canned_table().totals).title, "Model total (ms), 7 of 10 pieces");
}

TEST(Charts, BoxChartSaysItsFiguresInWords) {
  BoxChart chart;
  chart.set_samples({1000, 2000, 3000});
  EXPECT_TRUE(chart.accessibleName().contains(QStringLiteral("median 2.00 µs")));
  chart.set_samples({});
  EXPECT_TRUE(chart.accessibleName().contains("no samples"));
}

}  // namespace
}  // namespace fuselab::gui::test
