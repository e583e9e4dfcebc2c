// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QSortFilterProxyModel>
#include <QTest>

#include "app/gui/graph/group_model.h"
#include "app/gui/link/snapshots.h"
#include "app/gui/look/catalog_words.h"
#include "app/gui/look/figures.h"
#include "app/gui/models/ceiling_model.h"
#include "app/gui/models/compare_model.h"
#include "app/gui/models/note_model.h"
#include "app/gui/models/piece_model.h"
#include "app/gui/models/trial_queue_model.h"
#include "app/gui/pages/devices/device_model.h"
#include "app/gui/plots/builders.h"
#include "app/gui/plots/plot_table_model.h"
#include "app/gui/tables/table_text.h"
#include "tests/gui/support/fake_engine.h"

namespace fuselab::gui::test {
namespace {

// Reports what the tester finds as a test failure instead of a message.
class Watched {
 public:
  explicit Watched(QAbstractItemModel* model) : tester_(model, QAbstractItemModelTester::FailureReportingMode::Fatal) {}

 private:
  QAbstractItemModelTester tester_;
};

QString text(const QAbstractItemModel& model, int row, int column) {
  return model.index(row, column).data(Qt::DisplayRole).toString();
}

TablePtr share(engine::CompareTable table) {
  return std::make_shared<const engine::CompareTable>(std::move(table));
}

TEST(DeviceModel, ListsUsableBackendsFirstAndSaysWhyTheOthersAreNot) {
  DeviceModel model;
  const Watched watched(&model);
  model.set_reports(std::make_shared<const std::vector<BackendReport>>(canned_backends()));
  ASSERT_EQ(model.rowCount(), 8);
  EXPECT_EQ(text(model, 0, DeviceModel::kDevice), "cpu:0");
  EXPECT_EQ(text(model, 1, DeviceModel::kDevice), "null:0") << "synthetic devices come after real ones";
  EXPECT_TRUE(text(model, 0, DeviceModel::kStatus).contains("usable"));
  EXPECT_TRUE(text(model, 2, DeviceModel::kStatus).contains("unavailable"));
  EXPECT_TRUE(text(model, 2, DeviceModel::kNote).contains("libcuda.so.1 not found"));
  model.set_reports(nullptr);
  EXPECT_EQ(model.rowCount(), 0);
}

TEST(FactModel, LeavesUnknownFactsOut) {
  FactModel model;
  const Watched watched(&model);
  const std::vector<BackendReport> reports = canned_backends();
  model.show(&reports[1], &reports[1].devices.front());
  const int known = model.rowCount();
  DeviceInfo bare = reports[1].devices.front();
  bare.total_memory_bytes.reset();
  bare.driver_version.reset();
  model.show(&reports[1], &bare);
  EXPECT_EQ(model.rowCount(), known - 2);
}

TEST(FactModel, SaysWhatABackendWithoutADeviceDoesForTargets) {
  BackendReport cuda{"cuda", "CUDA", "compute", Availability::unavailable("no driver"), {}, {}};
  cuda.capabilities.dtypes = {DType::kF32, DType::kBF16};
  cuda.capabilities.supports_autotuning = true;
  cuda.capabilities.foreign_targets = {{"sm_90", "generated, compiled by nvrtc 13.2"}};
  cuda.compiler = {"nvrtc 13.2", "/opt/libnvrtc.so.13", ""};
  FactModel model;
  model.show(&cuda, nullptr);
  QString all;
  for (int row = 0; row < model.rowCount(); ++row) all += text(model, row, 0) + "=" + text(model, row, 1) + ";";
  for (const char* const fact : {"Element types=f32, bf16;", "Without a device=the tab Targets ranks configurations",
                                 "sm_90=generated, compiled by nvrtc 13.2;", "Compiler=nvrtc 13.2, /opt/libnvrtc.so.13;"})
    EXPECT_TRUE(all.contains(fact)) << fact << " is not in " << all.toStdString();
}

TEST(CeilingModel, ShowsTheTableOfTheDevicesEnvironment) {
  CeilingModel model;
  const Watched watched(&model);
  const Catalog catalog = canned_catalog();
  model.set_ceilings(ceilings_in(catalog, catalog.ceilings.back().first));
  EXPECT_EQ(model.rowCount(), static_cast<int>(catalog.ceilings.back().second.rows.size()));
  EXPECT_TRUE(ceilings_in(catalog, "another").rows.empty()) << "another environment's ceilings must not be shown";
}

TEST(Snapshots, GiveTheCeilingsOfTheEnvironmentThatIsNow) {
  EngineLink engine(fake_factory(std::make_shared<EngineScript>()));
  JobBridge job;
  Snapshots views(engine, job);
  engine.open();
  ASSERT_TRUE(QTest::qWaitFor([&] { return views.catalog() != nullptr && views.devices() != nullptr; }, 60'000));
  const Catalog& catalog = *views.catalog();
  ASSERT_EQ(catalog.environments[0].second.device_uuid, catalog.environments[1].second.device_uuid);
  EXPECT_EQ(views.ceilings_of(catalog.devices.front()).rows.size(), catalog.ceilings[1].second.rows.size())
      << "not those that an older version measured";
  EXPECT_TRUE(views.ceilings_of(catalog.devices.back()).rows.empty());
  EXPECT_EQ(views.usable_devices().size(), 2u);
}

TEST(CatalogWords, SayWhatKeysMean) {
  Catalog catalog = canned_catalog();
  catalog.pieces[1].name = catalog.pieces[2].name;
  const CatalogWords words(catalog);
  EXPECT_EQ(words.models_of(catalog.pieces[0].key), "resnet50 (batch=1)");
  EXPECT_EQ(words.models_of("an operator"), QString());
  EXPECT_EQ(words.shape_of(catalog.pieces[0].key), "f32[1,128,64]") << "a bias does not tell one shape from another";
  EXPECT_EQ(words.piece_label(catalog.pieces[0]), "stage3/conv2/relu");
  EXPECT_EQ(words.piece_label(catalog.pieces[1]), QString::fromUtf8("encoder/residual_norm · f32[1,128,128]"));
  EXPECT_EQ(words.mode_of(kColdMetric), "cold");
  EXPECT_TRUE(words.metric_of(kColdMetric).startsWith("caches emptied before each run, all launches of the plan, samples="));
  EXPECT_TRUE(words.environment_of(catalog.environments[0].first).endsWith("version 0.0.1"));
  ASSERT_EQ(words.models().size(), 2u);
  EXPECT_EQ(words.models()[0].piece_keys.size(), 9u);
}

TEST(CatalogWords, CallNoTrialOfASingleOperatorFused) {
  // A lone normalization has a pattern of its own, constants and views are no operators.
  EXPECT_TRUE(is_one_operator("graph(i0: f32[8,64]) { v0 = LayerNormalization(i0, epsilon=1e-12); return v0 }"));
  EXPECT_TRUE(is_one_operator(
      "graph(i0: f32[8]) { v0 = Constant(value=8.0); v1 = Div(i0, v0); v2 = Reshape(v1, shape=[2,4]); return v2 }"));
  EXPECT_FALSE(is_one_operator("graph(i0: f32[8]) { v0 = Relu(i0); v1 = Tanh(v0); return v1 }"));
  Catalog catalog = canned_catalog();
  catalog.pieces[1].canonical_text = "graph(i0: f32[8]) { v0 = Softmax(i0); return v0 }";
  const CatalogWords words(catalog);
  EXPECT_EQ(words.plan_of(catalog.pieces[0].key, PlanKind::kFused), "fused");
  EXPECT_EQ(words.plan_of(catalog.pieces[0].key, PlanKind::kUnfused), "unfused");
  EXPECT_EQ(words.plan_of(catalog.pieces[1].key, PlanKind::kFused), "single");
}

TEST(CatalogWords, TellTwoMetricsOfOneModeApart) {
  Catalog catalog = canned_catalog();
  MetricIdentity screening = catalog.metrics.front().second;
  screening.detail = "samples=7";
  catalog.metrics.emplace_back("metric-screening", screening);
  const CatalogWords words(catalog);
  EXPECT_EQ(words.mode_of("metric-screening"), "warm, 7") << "in the room that a column has";
  EXPECT_EQ(words.mode_of(kWarmMetric), "warm");
  EXPECT_TRUE(words.metric_of("metric-screening").contains("samples=7")) << "all of it in the tooltip";
  EXPECT_EQ(words.mode_of(kColdMetric), "cold");
}

TEST(CompareModel, ShowsPendingAsDotsAndFailureWithItsReason) {
  CompareModel model;
  const Watched watched(&model);
  model.set_table(share(canned_table()));
  const int fused = model.column_of(0, CompareModel::kFused);
  EXPECT_EQ(text(model, 7, fused), "…");
  EXPECT_TRUE(text(model, 8, fused).contains("wrong-result"));
  EXPECT_TRUE(model.index(8, fused).data(Qt::ToolTipRole).toString().contains("expected 0.5"));
}

TEST(CompareModel, NeverShowsAGainWithoutItsInterval) {
  CompareModel model;
  model.set_table(share(canned_table()));
  for (int row = 0; row < model.rowCount(); ++row) {
    const QString gain = text(model, row, model.column_of(0, CompareModel::kGain));
    const bool figure = gain.contains(QStringLiteral("×"));
    EXPECT_EQ(figure, gain.contains('[') && gain.contains(']')) << gain.toStdString();
  }
}

TEST(CompareModel, MarksLosingAsPlainlyAsWinning) {
  CompareModel model;
  model.set_table(share(canned_table()));
  const int gain = model.column_of(0, CompareModel::kGain);
  EXPECT_TRUE(text(model, 1, gain).startsWith(QStringLiteral("▲")));
  EXPECT_EQ(model.index(1, gain).data(TableModelBase::kToneRole).toInt(), static_cast<int>(Tone::kGood));
  EXPECT_TRUE(text(model, 4, gain).startsWith(QStringLiteral("▼")));
  EXPECT_EQ(model.index(4, gain).data(TableModelBase::kToneRole).toInt(), static_cast<int>(Tone::kBad));
  EXPECT_TRUE(text(model, 5, gain).startsWith(QStringLiteral("≈"))) << "an interval that includes 1 is neither";
}

TEST(CompareModel, UpdatesInPlaceWhileThePiecesStayTheSame) {
  CompareModel model;
  const Watched watched(&model);
  model.set_table(share(canned_table()));
  const QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
  const QSignalSpy changes(&model, &QAbstractItemModel::dataChanged);
  engine::CompareTable table = canned_table();
  table.rows[7].cells[0] = table.rows[0].cells[0];
  model.set_table(share(table));
  EXPECT_EQ(resets.count(), 0);
  EXPECT_EQ(changes.count(), 1);
  std::swap(table.rows[0], table.rows[1]);
  model.set_table(share(table));
  EXPECT_EQ(resets.count(), 1);
}

TEST(CompareModel, SortsUnmeasuredPiecesLast) {
  CompareModel model;
  QSortFilterProxyModel proxy;
  proxy.setSourceModel(&model);
  proxy.setSortRole(TableModelBase::kSortRole);
  const Watched watched(&proxy);
  model.set_table(share(canned_table()));
  const int fused = model.column_of(0, CompareModel::kFused);
  proxy.sort(fused);
  EXPECT_TRUE(text(proxy, 0, fused).contains("22.1"));
  EXPECT_TRUE(text(proxy, proxy.rowCount() - 1, fused).contains(QStringLiteral("…")) ||
              text(proxy, proxy.rowCount() - 1, fused).contains(QStringLiteral("✕")));
}

TEST(CompareModel, RecommendsNothingWhereAPieceFailedEverywhere) {
  CompareModel model;
  engine::CompareTable table = canned_table();
  for (engine::CompareCell& cell : table.rows[9].cells) cell.fused.state = engine::CellState::kExcluded;
  model.set_table(share(table));
  const int recommended = CompareModel::kRecommended;
  EXPECT_EQ(text(model, 7, recommended), kPendingText) << "not measured yet";
  EXPECT_EQ(text(model, 8, recommended), "none: failed");
  EXPECT_TRUE(model.index(8, recommended).data(Qt::ToolTipRole).toString().startsWith("wrong-result: output 0"));
  EXPECT_EQ(text(model, 9, recommended), QString::fromUtf8("–")) << "it never will be measured";
}

TEST(CompareModel, HasAShorterFormOfEachFigureThatKeepsTheInterval) {
  engine::Figure figure;
  figure.median_ns = 7.65e6;
  figure.interval = {7.42e6, 7.92e6};
  EXPECT_EQ(brief_figure_text(figure), "7.65 ms ±3 %") << "half the interval, as the command line says it";
  figure.interval = {7.63e6, 7.66e6};
  EXPECT_EQ(brief_figure_text(figure), "7.65 ms ±0.2 %");
  engine::Figure still = figure;
  still.interval = {still.median_ns - 100, still.median_ns + 100};
  EXPECT_EQ(brief_figure_text(still), "7.65 ms ±<0.1 %") << "no interval is nothing";
  figure.median_ns = 100e3;
  figure.interval = {99e3, 119e3};  // lopsided
  EXPECT_EQ(brief_figure_text(figure), "100 µs ±10 %");
  CompareModel model;
  model.set_table(share(canned_table()));
  const int fused = model.column_of(0, CompareModel::kFused);
  EXPECT_TRUE(model.index(0, fused).data(TableModelBase::kBriefRole).toString().contains(QStringLiteral(" ±")));
  EXPECT_EQ(model.index(8, fused).data(TableModelBase::kBriefRole).toString(), QString::fromUtf8("✕ failed"));
}

TEST(TotalsModel, SaysHowManyPiecesASumIsOver) {
  TotalsModel model;
  const Watched watched(&model);
  model.set_table(share(canned_table()));
  ASSERT_EQ(model.rowCount(), 3);
  EXPECT_EQ(text(model, 2, 0), "best mix");
  EXPECT_EQ(text(model, 0, 4), "7 of 10");
}

TEST(TotalsModel, HasARowForEachStackThatWasAskedForTheWholeModel) {
  engine::CompareTable table = canned_table();
  engine::CompareCell measured = table.rows[0].cells[0], refused;
  measured.device_id = "onnxruntime:0";
  refused.device_id = "xla:0";
  refused.fused.state = engine::CellState::kFailed;
  refused.fused.reason = "single unsupported: Pow: it is not asked of XLA";
  table.whole_models = {{"key", measured, Ratio{0.87, {0.84, 0.9}}}, {"key", refused, std::nullopt}};
  TotalsModel model;
  const Watched watched(&model);
  model.set_table(share(std::move(table)));
  ASSERT_EQ(model.rowCount(), 5);
  EXPECT_EQ(text(model, 2, 6), "") << "the mix is not beside itself";
  EXPECT_EQ(text(model, 3, 0), "whole, onnxruntime:0");
  EXPECT_EQ(text(model, 3, 2), cell_text(measured.fused));
  EXPECT_EQ(text(model, 3, 6), "0.87x the time of the best mix [0.84, 0.90]: faster");
  EXPECT_EQ(text(model, 4, 6), "unsupported: Pow: it is not asked of XLA");
}

TEST(TrialQueueModel, PutsTheNewestTrialOnTopAndStaysBounded) {
  JobBridge job;
  TrialQueueModel model(job);
  const Watched watched(&model);
  auto batch = std::make_shared<std::vector<engine::TrialFinished>>();
  for (int i = 0; i < 3; ++i) batch->push_back({canned_row(i), std::nullopt});
  emit job.trials_finished(batch);
  ASSERT_EQ(model.rowCount(), 3);
  EXPECT_EQ(model.trial(0)->row.id, "trial-2");
  auto flood =
      std::make_shared<std::vector<engine::TrialFinished>>(TrialQueueModel::kKept + 10, engine::TrialFinished{canned_row(9), 5.0});
  emit job.trials_finished(flood);
  EXPECT_EQ(model.rowCount(), static_cast<int>(TrialQueueModel::kKept));
}

TEST(TrialQueueModel, KeepsOneCurvePerPieceDeviceAndKind) {
  JobBridge job;
  TrialQueueModel model(job);
  TrialRow row = canned_row(1);
  auto batch = std::make_shared<std::vector<engine::TrialFinished>>();
  for (const char* device : {"cpu:0", "cpu:0", "null:0"}) {
    row.device_id = device;
    batch->push_back({row, 1000.0});
  }
  emit job.trials_finished(batch);
  ASSERT_EQ(model.searches().size(), 2u);
  EXPECT_EQ(model.searches().begin()->second.points.size(), 2u);
  EXPECT_EQ(model.searches().begin()->second.points.back().best_ns, 1000.0) << "as the engine says";
  row.device_id = "cpu:0";
  auto cold = std::make_shared<std::vector<engine::TrialFinished>>();
  cold->push_back({row, 9000.0, CacheMode::kCold});
  emit job.trials_finished(cold);
  EXPECT_EQ(model.searches().begin()->second.points.size(), 2u) << "a cold run of a winner is no step of its search";
  emit job.started();
  EXPECT_TRUE(model.searches().empty());
  EXPECT_EQ(model.rowCount(), 0);
}

TEST(NoteModel, KeepsWhatTheJobSaysNewestLastAndForgetsItWithTheNextJob) {
  JobBridge job;
  NoteModel model(job);
  const Watched watched(&model);
  auto script = std::make_shared<JobScript>();
  script->push(engine::LogLine{engine::LogLine::Level::kInfo, "Waiting: another session measures"});
  script->push(engine::LogLine{engine::LogLine::Level::kWarning, "softmax: out of memory"});
  job.attach(std::make_unique<FakeJob>(script));
  ASSERT_TRUE(QTest::qWaitFor([&] { return model.rowCount() == 2; }, 60'000));
  EXPECT_EQ(text(model, 0, NoteModel::kNote), "Waiting: another session measures");
  EXPECT_EQ(text(model, 1, NoteModel::kNote), "softmax: out of memory");
  EXPECT_EQ(model.index(0, NoteModel::kNote).data(TableModelBase::kToneRole).toInt(), static_cast<int>(Tone::kNeutral));
  EXPECT_EQ(model.index(1, NoteModel::kNote).data(TableModelBase::kToneRole).toInt(), static_cast<int>(Tone::kWarning));
  EXPECT_EQ(model.warnings(), 1);
  for (std::size_t line = 0; line < NoteModel::kKept; ++line) emit job.logged({engine::LogLine::Level::kInfo, "more"});
  EXPECT_EQ(model.rowCount(), static_cast<int>(NoteModel::kKept));
  EXPECT_EQ(text(model, 0, NoteModel::kNote), "more") << "the oldest go first";
  emit job.started();
  EXPECT_EQ(model.rowCount(), 0);
}

TEST(PieceModel, SaysWhatAPieceCostsAndWhatLiesOutsideItsMedian) {
  PieceModel model;
  const Watched watched(&model);
  engine::CompareTable table = canned_table();
  table.rows[1].cells[0].fused.figure->compile_ns = 184e6;
  table.rows[1].cells[0].cold_fused = table.rows[1].cells[0].fused;
  model.show(&table.rows[1]);
  const QString facts = csv_of(model);
  EXPECT_TRUE(facts.contains("Ideal traffic"));
  EXPECT_TRUE(facts.contains("FLOP/byte"));
  EXPECT_TRUE(facts.contains("compiled in 184 ms"));
  EXPECT_TRUE(facts.contains("cold caches"));
  model.show(nullptr);
  EXPECT_EQ(model.rowCount(), 0);
}

TEST(PlotTableModel, HoldsEveryPointWithItsInterval) {
  PlotTableModel model;
  const Watched watched(&model);
  const PlotSpec spec = compare_plot(canned_table(), {}, "cpu:0");
  model.set_spec(spec);
  std::size_t points = 0;
  for (const Series& series : spec.series) points += series.points.size();
  EXPECT_EQ(model.rowCount(), static_cast<int>(points));
  EXPECT_EQ(text(model, 0, 0), "unfused");
  EXPECT_TRUE(text(model, 0, 4).contains("ms"));
}

TEST(GroupModel, LeadsFromAPieceToItsFirstOperator) {
  GroupModel model;
  const Watched watched(&model);
  model.set_graph(place_graph(canned_graph(2)));
  ASSERT_EQ(model.rowCount(), 7);
  EXPECT_EQ(model.first_node(1), 1);
  EXPECT_EQ(model.first_node(99), -1);
  EXPECT_FALSE(model.piece_key(0).isEmpty());
}

TEST(TableText, QuotesCsvAndEscapesMarkdown) {
  CompareModel model;
  engine::CompareTable table = canned_table();
  table.rows.resize(1);
  table.rows[0].name = "a,\"b\"|c";
  model.set_table(share(table));
  EXPECT_TRUE(csv_of(model).contains(QStringLiteral("\"a,\"\"b\"\"|c\",")));
  EXPECT_TRUE(csv_of(model).endsWith(QStringLiteral("\r\n")));
  const QString markdown = markdown_of(model);
  EXPECT_TRUE(markdown.contains(QStringLiteral("a,\"b\"\\|c")));
  EXPECT_EQ(markdown.count('\n'), 3);
}

}  // namespace
}  // namespace fuselab::gui::test
