// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <QAbstractItemView>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QXmlStreamReader>
#include <cmath>

#include "app/gui/look/elided_label.h"
#include "app/gui/plots/builders.h"
#include "app/gui/plots/drawing/marks.h"
#include "app/gui/plots/drawing/plot_export.h"
#include "app/gui/plots/plot_canvas.h"
#include "app/gui/plots/plot_panel.h"
#include "tests/gui/support/canned.h"

namespace fuselab::gui::test {
namespace {

PlotSpec line_spec(int points) {
  PlotSpec spec;
  spec.title = "latency";
  spec.x.title = "size";
  spec.x.scale = Scale::kLog;
  spec.y.title = "time";
  Series series{"cpu", Mark::kPoints, 0, {}, false, true};
  for (int i = 1; i <= points; ++i)
    series.points.push_back({double(i), 10.0 + i, 9.0 + i, 11.0 + i, "", "key" + QString::number(i)});
  spec.series.push_back(std::move(series));
  return spec;
}

int distinct_colors(const QImage& image) {
  QSet<QRgb> colors;
  for (int y = 0; y < image.height(); y += 2) {
    for (int x = 0; x < image.width(); x += 2) colors.insert(image.pixel(x, y));
  }
  return static_cast<int>(colors.size());
}

TEST(PlotNames, AreWrittenBesideDotsWithoutMeetingEachOther) {
  const ThemeColors& colors = colors_of(false);
  const auto drawn = [&](const QString& second) {
    PlotSpec spec = line_spec(2);
    spec.series[0].points[0].name = "conv1";
    spec.series[0].points[1].name = second;
    QImage image(400, 300, QImage::Format_RGB32);
    QPainter painter(&image);
    paint_plot(painter, spec, layout_plot(spec, image.rect(), painter.font()), {}, colors, image.rect());
    return image;
  };
  EXPECT_NE(drawn("conv2"), drawn({})) << "a name is seen";
  const QString longer_than_the_plot(400, u'w');
  EXPECT_EQ(drawn(longer_than_the_plot), drawn({})) << "there is no room for it";
}

TEST(AxisScale, MapsThereAndBackOnEveryScale) {
  for (Scale scale : {Scale::kLinear, Scale::kLog, Scale::kCategory}) {
    const AxisScale axis(scale, 1, 1000, 50, 450);
    for (double value : {1.0, 7.5, 32.0, 1000.0}) EXPECT_NEAR(axis.to_value(axis.to_pixel(value)), value, value * 1e-9);
    EXPECT_DOUBLE_EQ(axis.to_pixel(1), 50);
    EXPECT_DOUBLE_EQ(axis.to_pixel(1000), 450);
  }
}

TEST(AxisScale, PutsDecadesAtEqualDistancesOnALogAxis) {
  const AxisScale axis(Scale::kLog, 1, 10000, 0, 400);
  EXPECT_NEAR(axis.to_pixel(10), 100, 1e-9);
  EXPECT_NEAR(axis.to_pixel(1000), 300, 1e-9);
  EXPECT_FALSE(axis.can_show(0));
  EXPECT_FALSE(axis.can_show(-1));
}

TEST(AxisScale, ZeroHasNoSign) {
  const std::vector<double> ticks = AxisScale(Scale::kLinear, 0, 20000, 0, 400).ticks(4);
  ASSERT_FALSE(ticks.empty());
  EXPECT_EQ(ticks.front(), 0);
  EXPECT_FALSE(std::signbit(ticks.front())) << "-0.00 ns";
}

TEST(AxisScale, ZoomKeepsTheValueUnderThePointer) {
  for (Scale scale : {Scale::kLinear, Scale::kLog}) {
    const AxisScale axis(scale, 1, 100, 0, 300);
    const double before = axis.to_value(120);
    const AxisScale zoomed = axis.zoomed(0.5, 120);
    EXPECT_NEAR(zoomed.to_value(120), before, before * 1e-9);
    EXPECT_GT(zoomed.low(), axis.low());
    EXPECT_LT(zoomed.high(), axis.high());
  }
}

TEST(AxisScale, PanMovesByPixels) {
  const AxisScale axis(Scale::kLinear, 0, 10, 0, 100);
  EXPECT_NEAR(axis.panned(20).to_pixel(5), 70, 1e-9);
}

TEST(AxisScale, LabelsRoundNumbers) {
  const AxisScale linear(Scale::kLinear, 0, 1, 0, 300);
  EXPECT_EQ(linear.ticks(5), (std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1}));
  const std::vector<double> decades = AxisScale(Scale::kLog, 1, 1e6, 0, 300).ticks(10);
  ASSERT_EQ(decades.size(), 7u);
  EXPECT_NEAR(decades[3], 1000, 1e-6);
  EXPECT_GE(AxisScale(Scale::kLog, 3, 4, 0, 300).ticks(5).size(), 2u) << "a part of a decade still needs labels";
}

TEST(AxisScale, LabelsPowersOfTenWhereFewHaveRoom) {
  const std::vector<double> ticks = AxisScale(Scale::kLog, 6e9, 2e12, 100, 0).ticks(2);
  ASSERT_GE(ticks.size(), 2u);
  for (const double tick : ticks) EXPECT_NEAR(std::log10(tick), std::round(std::log10(tick)), 1e-9) << tick;
}

TEST(AxisScale, LabelsBytesAtPowersOfTwo) {
  const PlotSpec spec = ceiling_plot(canned_catalog().ceilings.back().second, "cpu:0");
  const PlotLayout layout = layout_plot(spec, QRectF(0, 0, 800, 400), QFont());
  const std::vector<double> ticks = layout.x.ticks(8, spec.x.binary);
  ASSERT_GE(ticks.size(), 3u);
  for (const double tick : ticks) EXPECT_EQ(std::log2(tick), std::round(std::log2(tick)));
}

TEST(AxisScale, SurvivesOneSingleValue) {
  const AxisScale axis(Scale::kLinear, 5, 5, 0, 100);
  EXPECT_TRUE(std::isfinite(axis.to_pixel(5)));
  EXPECT_LT(axis.low(), axis.high());
}

TEST(Marks, ThinningKeepsTheExtremesOfEveryPixelColumn) {
  QPolygonF line;
  for (int i = 0; i < 100'000; ++i) line << QPointF(i / 200.0, i == 50'300 ? -1000 : std::sin(i * 0.1));
  const QPolygonF thin = thin_to_columns(line);
  EXPECT_LE(thin.size(), 4 * 501);
  EXPECT_TRUE(std::any_of(thin.begin(), thin.end(), [](const QPointF& point) { return point.y() == -1000; }));
  EXPECT_EQ(thin.first(), line.first());
  EXPECT_EQ(thin.last(), line.last());
}

TEST(PlotPainter, StartsBarsAtZeroAndFindsThemByTheirArea) {
  const PlotSpec spec = compare_plot(canned_table(), {}, "cpu:0");
  const PlotLayout layout = layout_plot(spec, QRectF(0, 0, 800, 400), QFont());
  EXPECT_EQ(layout.y.low(), 0);
  const QRectF bar = bar_of(spec, layout, {1, 2});
  const auto found = point_at(spec, layout, bar.center(), 5);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(*found, (PointRef{1, 2}));
  EXPECT_FALSE(bar.intersects(bar_of(spec, layout, {0, 2}))) << "bars of one piece stand side by side";
}

TEST(PlotCanvas, SelectsThePointThatIsClicked) {
  PlotCanvas canvas;
  canvas.resize(600, 400);
  canvas.set_spec(line_spec(20));
  canvas.show();
  const QSignalSpy chosen(&canvas, &PlotCanvas::point_chosen);
  const QPointF at = position_of(canvas.spec(), canvas.plot_layout(), {0, 10});
  QTest::mouseClick(&canvas, Qt::LeftButton, {}, at.toPoint());
  ASSERT_EQ(chosen.count(), 1);
  EXPECT_EQ(chosen.front().front().toString(), "key11");
  EXPECT_EQ(canvas.state().selected_key, "key11");
}

TEST(PlotCanvas, IsWalkedZoomedAndResetByKeyboard) {
  PlotCanvas canvas;
  canvas.resize(600, 400);
  canvas.set_spec(line_spec(20));
  canvas.show();
  const QSignalSpy chosen(&canvas, &PlotCanvas::point_chosen);
  QTest::keyClick(&canvas, Qt::Key_Right);
  QTest::keyClick(&canvas, Qt::Key_Right);
  QTest::keyClick(&canvas, Qt::Key_Return);
  ASSERT_EQ(chosen.count(), 1);
  EXPECT_EQ(chosen.front().front().toString(), "key2");
  EXPECT_TRUE(canvas.accessibleDescription().contains("12")) << "the point that is walked to is described";
  const double low = canvas.plot_layout().x.low();
  QTest::keyClick(&canvas, Qt::Key_Plus);
  EXPECT_TRUE(canvas.zoomed());
  EXPECT_GT(canvas.plot_layout().x.low(), low);
  QTest::keyClick(&canvas, Qt::Key_Home);
  EXPECT_FALSE(canvas.zoomed());
  EXPECT_DOUBLE_EQ(canvas.plot_layout().x.low(), low);
}

TEST(PlotCanvas, KeepsTheZoomWhenNewDataArrive) {
  PlotCanvas canvas;
  canvas.resize(600, 400);
  canvas.set_spec(line_spec(20));
  canvas.zoom(0.5, canvas.plot_layout().frame.center());
  const double low = canvas.plot_layout().x.low();
  canvas.set_spec(line_spec(21));
  EXPECT_NEAR(canvas.plot_layout().x.low(), low, 1e-9);
  PlotSpec other = line_spec(20);
  other.x.title = "something else";
  canvas.set_spec(other);
  EXPECT_FALSE(canvas.zoomed());
}

TEST(PlotCanvas, PaintsAHundredThousandPointsAndAnEmptyPlot) {
  PlotCanvas canvas;
  canvas.resize(600, 400);
  canvas.set_spec(line_spec(100'000));
  EXPECT_GT(distinct_colors(canvas.grab().toImage()), 3);
  PlotSpec empty;
  empty.empty_text = "Press Run";
  canvas.set_spec(empty);
  EXPECT_GT(distinct_colors(canvas.grab().toImage()), 1) << "an empty plot says what to do";
}

TEST(PlotExport, WritesWellFormedSvgWithRealText) {
  const QString svg = plot_svg(line_spec(5), colors_of(false), QSize(640, 400));
  QXmlStreamReader xml(svg);
  int texts = 0, paths = 0;
  while (!xml.atEnd()) {
    xml.readNext();
    if (!xml.isStartElement()) continue;
    texts += xml.name() == QLatin1String("text");
    paths += xml.name() == QLatin1String("path");
  }
  EXPECT_FALSE(xml.hasError()) << xml.errorString().toStdString();
  EXPECT_GT(texts, 5);
  EXPECT_GT(paths, 5);
  EXPECT_TRUE(svg.contains(QStringLiteral(">cpu</text>")));
}

TEST(PlotExport, WritesPlainNumbersWithTheirIntervals) {
  const QString csv = plot_csv(line_spec(2));
  EXPECT_EQ(csv.toStdString(), "series,label,\"size\",\"time\",low,high\r\n\"cpu\",\"\",1,11,10,12\r\n\"cpu\",\"\",2,12,11,13\r\n");
}

TEST(PlotExport, ChoosesTheFormatByTheEndingAndRefusesOthers) {
  const QTemporaryDir folder;
  for (const char* name : {"a.png", "a.svg", "a.csv"}) {
    EXPECT_TRUE(save_plot(line_spec(3), colors_of(true), QSize(320, 240), folder.filePath(name)).ok()) << name;
  }
  EXPECT_EQ(QImage(folder.filePath("a.png")).size(), QSize(640, 480)) << "twice the pixels, for print";
  EXPECT_EQ(save_plot(line_spec(3), colors_of(true), QSize(320, 240), folder.filePath("a.bmp")).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(save_plot(line_spec(3), colors_of(true), QSize(320, 240), "/nonexistent/a.svg").error().code, ErrorCode::kIo);
}

TEST(PlotPanel, TogglesToTheTableBehindThePlot) {
  PlotPanel panel("test");
  panel.resize(600, 400);
  panel.set_spec(line_spec(7));
  panel.show();
  auto* toggle = panel.findChild<QToolButton*>("test.toggle");
  ASSERT_NE(toggle, nullptr);
  QTest::mouseClick(toggle, Qt::LeftButton);
  EXPECT_TRUE(panel.shows_table());
  auto* table = panel.findChild<QAbstractItemView*>("test.table");
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->model()->rowCount(), 7);
}

TEST(BackendsPlot, ComparesTheDevicesOfOnePiece) {
  engine::CompareTable table = canned_table();
  const PlotSpec spec = backends_plot(table.rows[1]);
  EXPECT_EQ(spec.x.categories, QStringList({"cpu:0 (recommended)", "opencl:0"}));
  ASSERT_EQ(spec.series.size(), 3u);
  for (std::size_t device : {0u, 1u}) {
    const engine::CompareCell& cell = table.rows[1].cells[device];
    const PlotPoint& fused = spec.series[1].points[device];
    EXPECT_EQ(fused.y, cell.fused.figure->median_ns);
    EXPECT_EQ(fused.low, cell.fused.figure->interval.low);
    EXPECT_EQ(fused.high, cell.fused.figure->interval.high);
    EXPECT_EQ(fused.key.toStdString(), cell.device_id);
    EXPECT_EQ(spec.series[2].points[device].y, *cell.ideal_ns);
  }
  table.rows[1].cells[0] = unmeasured_cell("cpu:0");
  EXPECT_EQ(backends_plot(table.rows[1]).x.categories, QStringList("opencl:0")) << "nothing is drawn where nothing was measured";
  const PlotSpec failed = backends_plot(table.rows[8]);
  EXPECT_TRUE(is_empty(failed));
  EXPECT_EQ(failed.empty_text, "no verified kernel");
}

TEST(PlotPanel, ProposesAFileNameThatIsOne) {
  EXPECT_EQ(file_name_for("encoder/attention/softmax on every device"), "encoder-attention-softmax-on-every-device");
  EXPECT_EQ(file_name_for("Convergence of output/MatMul+Add on cpu:0, fused"), "Convergence-of-output-MatMul+Add-on-cpu-0-fused");
  EXPECT_EQ(file_name_for("/"), "plot");
}

TEST(PlotPanel, EndsALongTitleInDots) {
  PlotPanel panel("test");
  panel.resize(360, 300);
  PlotSpec spec = line_spec(3);
  spec.title = QString("a title that is too long for its panel ").repeated(4);
  panel.set_spec(spec);
  panel.show();
  const auto labels = panel.findChildren<QLabel*>();
  const auto title = std::find_if(labels.begin(), labels.end(), [&](const QLabel* label) { return label->text() == spec.title; });
  ASSERT_NE(title, labels.end());
  const auto* elided = dynamic_cast<const ElidedLabel*>(*title);
  ASSERT_NE(elided, nullptr);
  EXPECT_TRUE(elided->shown_text().endsWith(QString::fromUtf8("…")));
}

TEST(Marks, LinesOfFewPointsAreToldApartByShapes) {
  Series line{QStringLiteral("line"), Mark::kLine, 1, {}, false, true};
  line.points.resize(2);
  EXPECT_FALSE(has_markers(line)) << "a level has ends, no points";
  line.points.resize(3);
  EXPECT_TRUE(has_markers(line));
  line.dashed = true;
  EXPECT_FALSE(has_markers(line));
  line.dashed = false;
  line.points.resize(33);
  EXPECT_FALSE(has_markers(line));
}

}  // namespace
}  // namespace fuselab::gui::test
