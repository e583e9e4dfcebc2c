// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/hand_over.h"

#include <QAbstractProxyModel>
#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QProcess>
#include <QTabWidget>

#include "app/cli/command_line.h"
#include "app/gui/graph/graph_canvas.h"
#include "app/gui/link/command_text.h"
#include "app/gui/look/figures.h"
#include "app/gui/models/compare_model.h"
#include "app/gui/pages/decide/decide_model.h"
#include "app/gui/pages/page_spec.h"
#include "app/gui/plots/plot_canvas.h"
#include "app/gui/tables/table_view.h"
#include "tests/gui/support/window_fixture.h"

namespace fuselab::gui::test {
namespace {

// Returns the words that a shell makes of a command.
QStringList words_of(const QString& command) {
  QProcess shell;
  shell.start(QStringLiteral("/bin/sh"),
              {QStringLiteral("-c"), QStringLiteral("for word in %1; do printf '%s\\0' \"$word\"; done").arg(command)});
  EXPECT_TRUE(shell.waitForFinished(60'000));
  QStringList words;
  for (const QByteArray& word : shell.readAllStandardOutput().split('\0')) words << QString::fromUtf8(word);
  words.removeLast();  // behind the last separator
  return words;
}

// Expects that the terminal program knows the verb and every option of the command. Nothing is run.
void expect_parses(const QString& command) {
  const QStringList words = words_of(command);
  std::vector<std::string> texts;
  std::vector<const char*> pointers;
  for (const QString& word : words) texts.push_back(word.toStdString());
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  cli::Invocation invocation;
  const auto parser = cli::make_command_line(invocation);
  try {
    parser->parse(static_cast<int>(pointers.size()), pointers.data());
  } catch (const CLI::ParseError& error) {
    ADD_FAILURE() << command.toStdString() << ": " << error.what();
  }
  EXPECT_TRUE(invocation.action) << command.toStdString();
}

class HandOver : public WindowTest {
 protected:
  // Opens the context menu of marks as the menu key does, and returns it.
  QMenu* menu_of(const char* marks) {
    auto* const widget = find<QWidget>(marks);
    emit widget->customContextMenuRequested(QPoint(1, 1));
    QMenu* const menu = widget->findChild<QMenu*>(QStringLiteral("handover"), Qt::FindDirectChildrenOnly);
    EXPECT_NE(menu, nullptr) << marks;
    return menu;
  }
  QStringList ways(const char* marks) {
    QMenu* const menu = menu_of(marks);
    QStringList names;
    for (const QAction* action : menu->actions()) {
      if (action->objectName().startsWith(QStringLiteral("handover."))) names << action->objectName().mid(9);
    }
    delete menu;
    return names;
  }
  void go(const char* marks, const char* way) {
    QMenu* const menu = menu_of(marks);
    auto* const action = menu->findChild<QAction*>(QStringLiteral("handover.") + QLatin1String(way));
    ASSERT_NE(action, nullptr) << marks << " " << way;
    action->trigger();
    delete menu;
    ASSERT_TRUE(settle());
  }
  // Returns the commands that a menu offers, by the names of what they do.
  std::map<QString, QString> commands(const char* marks) {
    QMenu* const menu = menu_of(marks);
    std::map<QString, QString> found;
    for (const QAction* action : menu->findChildren<QAction*>()) {
      if (action->objectName().startsWith(QStringLiteral("copy."))) found[action->objectName().mid(5)] = action->data().toString();
    }
    delete menu;
    return found;
  }
  QStringList ticked_devices() {
    auto* const devices = find<QListWidget>("tuning.devices");
    QStringList ticked;
    for (int row = 0; row < devices->count(); ++row) {
      if (devices->item(row)->checkState() == Qt::Checked) ticked << devices->item(row)->data(Qt::UserRole).toString();
    }
    return ticked;
  }
};

const QStringList kAllOfAPiece = {"tune-piece", "tune-model", "profile", "source", "results", "export"};

TEST_F(HandOver, APieceOfCompareIsTunedProfiledExportedAndLookedUp) {
  open();
  auto* const table = find<TableView>("compare.table");
  table->select_row(1);
  EXPECT_EQ(ways("compare.table"), kAllOfAPiece);
  go("compare.table", "tune-piece");
  EXPECT_EQ(window_->current_page(), PageId::kTuning);
  EXPECT_TRUE(find<QLineEdit>("tuning.subjects")->text().startsWith("graph(i0: f32[1,128])"));
  EXPECT_TRUE(ticked_devices().isEmpty()) << "the row is of every device";
  window_->show_page(PageId::kCompare);
  go("compare.table", "tune-model");
  EXPECT_EQ(find<QLineEdit>("tuning.subjects")->text(), "bert-base-layer");
  EXPECT_EQ(find<QLineEdit>("tuning.bindings")->text(), "batch=1,seq=128");
  EXPECT_EQ(window_->bench().model.choice(), (ModelChoice{"bert-base-layer", "batch=1,seq=128"}));
  window_->show_page(PageId::kCompare);
  go("compare.table", "export");
  EXPECT_EQ(window_->current_page(), PageId::kExport);
  EXPECT_EQ(find<QComboBox>("export.subject")->currentText(), "bert-base-layer");
  window_->show_page(PageId::kCompare);
  go("compare.table", "results");
  EXPECT_EQ(window_->current_page(), PageId::kResults);
  EXPECT_EQ(find<QComboBox>("results.piece")->currentText(), "encoder/attention/softmax");
  window_->show_page(PageId::kCompare);
  go("compare.table", "source");
  EXPECT_TRUE(find<QPlainTextEdit>("results.source")->isVisible());
}

TEST_F(HandOver, ACellOfADeviceHandsItsDeviceOverToo) {
  open();
  auto* const table = find<TableView>("compare.table");
  const auto* const proxy = qobject_cast<const QAbstractProxyModel*>(table->model());
  const auto* const model = qobject_cast<const CompareModel*>(proxy->sourceModel());
  table->setCurrentIndex(proxy->mapFromSource(model->index(1, model->column_of(0, CompareModel::kUnfused))));
  const QString trial = text_of(model->piece(1)->cells[0].unfused.figure->trial_id);
  EXPECT_TRUE(commands("compare.table")["profile"].endsWith("--trial " + trial));
  go("compare.table", "tune-piece");
  EXPECT_EQ(ticked_devices(), QStringList("cpu:0"));
}

TEST_F(HandOver, DotsBarsAndTotalsOfCompareLeadWhereTheirRowsDo) {
  open();
  find<TableView>("compare.table")->select_row(1);
  for (const char* marks : {"compare.times.canvas", "compare.roofline.canvas", "compare.backends.canvas", "compare.details"}) {
    auto* const widget = find<QWidget>(marks);
    auto* const tabs = find<QTabWidget>("compare.tabs");
    for (int tab = 0; tab < tabs->count() && !widget->isVisible(); ++tab) tabs->setCurrentIndex(tab);
    EXPECT_EQ(ways(marks), kAllOfAPiece) << marks;
  }
  find<TableView>("compare.totals")->select_row(0);
  EXPECT_EQ(ways("compare.totals"), QStringList({"tune-model", "profile", "export"}));
  EXPECT_EQ(ways("compare.sums.chart"), QStringList({"tune-model", "profile", "export"}));
}

TEST_F(HandOver, ATrialOfResultsLeadsToItsPieceAndItsModel) {
  open();
  window_->show_page(PageId::kResults);
  ASSERT_TRUE(settle());
  find<TableView>("results.table")->select_row(3);
  EXPECT_EQ(ways("results.table"), QStringList({"tune-piece", "tune-model", "profile", "source", "compare", "export"}));
  const QString trial = commands("results.table")["profile"];
  EXPECT_EQ(trial, "fuselab profile --trial trial-3");
  go("results.table", "tune-piece");
  EXPECT_TRUE(find<QLineEdit>("tuning.subjects")->text().startsWith("graph(i0: f32[1,128,"));
  EXPECT_EQ(ticked_devices(), QStringList("cpu:0"));
  window_->show_page(PageId::kResults);
  go("results.table", "profile");
  EXPECT_EQ(window_->current_page(), PageId::kProfile);
  EXPECT_EQ(find<QComboBox>("profile.subject")->currentText(), "trial trial-3");
}

TEST_F(HandOver, ThePieceAndTheTypeThatProfileGotAreItsOwnUntilTheyAreChosenAnew) {
  open();
  window_->bench().model.choose({"bert-base-layer", "batch=1,seq=128"});
  window_->show_page(PageId::kProfile);
  ASSERT_TRUE(settle());
  auto* const piece = find<QComboBox>("profile.piece");
  ASSERT_GT(piece->count(), 2);
  piece->setCurrentIndex(1);
  Page* const page = window_->page(PageId::kProfile);
  const auto command = [page] { return QString::fromStdString(page->own_command()); };
  EXPECT_TRUE(command().contains("--piece " + piece->itemData(1).toString())) << command().toStdString();
  Handed handed;
  handed.model = "bert-base-layer";
  handed.binding = "batch=1,seq=128";
  handed.dtype = "f16";
  handed.piece_key = piece->itemData(2).toString();
  page->receive(handed);
  ASSERT_TRUE(settle());
  EXPECT_EQ(piece->currentData().toString(), handed.piece_key);
  EXPECT_TRUE(command().contains("--piece " + handed.piece_key) && command().contains("--dtype f16")) << command().toStdString();
  window_->bench().model.set_scope({{}, "bf16", {}});
  EXPECT_TRUE(command().contains("--dtype bf16")) << "the bar's choice is newer: " << command().toStdString();
}

TEST_F(HandOver, ACellOfDecideIsAModelOnADevice) {
  open();
  window_->show_page(PageId::kDecide);
  ASSERT_TRUE(settle());
  auto* const table = find<TableView>("decide.table");
  table->setCurrentIndex(table->model()->index(1, DecideModel::kFirstModel));
  EXPECT_EQ(ways("decide.table"), QStringList({"tune-model", "profile", "compare", "export"}));
  go("decide.table", "compare");
  EXPECT_EQ(find<QComboBox>("compare.device")->currentText(), "opencl:0");
}

TEST_F(HandOver, APieceOfModelsIsTuned) {
  open();
  window_->bench().model.choose({"resnet50", "batch=1"});
  window_->show_page(PageId::kModels);
  ASSERT_TRUE(settle());
  find<TableView>("models.groups")->select_row(1);
  EXPECT_EQ(ways("models.groups"), QStringList({"tune-piece", "tune-model", "profile", "results", "compare", "export"}));
  EXPECT_EQ(ways("models.graph"), ways("models.groups"));
  go("models.groups", "tune-model");
  EXPECT_EQ(find<QLineEdit>("tuning.subjects")->text(), "resnet50");
}

TEST_F(HandOver, ThePiecesAndTheCurveOfAJobLeadToTheirTrials) {
  open();
  window_->bench().control.start(engine::JobSpec());
  ASSERT_TRUE(settle());
  push_busy_job(*script_->job, 12);
  window_->show_page(PageId::kTuning);
  ASSERT_TRUE(QTest::qWaitFor([this] { return find<TableView>("tuning.queue")->model()->rowCount() > 0; }, 60'000));
  auto* const queue = find<TableView>("tuning.queue");
  queue->select_row(queue->model()->rowCount() - 1);
  const QStringList of_piece = ways("tuning.queue");
  for (const char* way : {"results", "compare", "export"})
    EXPECT_TRUE(of_piece.contains(way)) << way << " of " << of_piece.join(' ').toStdString();
  EXPECT_FALSE(commands("tuning.queue").empty());
  EXPECT_TRUE(ways("tuning.plot.canvas").contains("profile"));
  for (const char* marks : {"tuning.queue", "tuning.plot.canvas"}) {
    for (const auto& [name, command] : commands(marks)) expect_parses(command);
  }
  script_->job->end(engine::JobState::kFinished);
  ASSERT_TRUE(settle());
}

TEST_F(HandOver, ADeviceTakesTheModelOfTheWindowAlong) {
  open();
  window_->show_page(PageId::kDevices);
  ASSERT_TRUE(settle());
  find<TableView>("devices.table")->select_row(0);
  EXPECT_TRUE(ways("devices.table").isEmpty()) << "no model is chosen";
  EXPECT_EQ(commands("devices.table")["page"], "fuselab devices");
  window_->bench().model.choose({"resnet50", "batch=2"});
  EXPECT_EQ(ways("devices.table"), QStringList({"tune-model", "profile", "compare", "export"}));
  EXPECT_EQ(commands("devices.table")["tune-model"], "fuselab tune resnet50 --shape batch=2 --device cpu:0");
  go("devices.table", "tune-model");
  EXPECT_EQ(ticked_devices(), QStringList("cpu:0"));
}

TEST_F(HandOver, AModelOfAnotherLevelIsCutAtItAgain) {
  script_->tables.front().level = "O3";
  open();
  find<TableView>("compare.table")->select_row(1);
  EXPECT_TRUE(commands("compare.table")["tune-model"].endsWith("--level O3"))
      << commands("compare.table")["tune-model"].toStdString();
  go("compare.table", "tune-model");
  EXPECT_TRUE(window_->page(PageId::kTuning)->own_command().find("--level O3") != std::string::npos);
}

TEST_F(HandOver, TheMenuBarHasTheWaysOnFromTheChosenMark) {
  open();
  find<TableView>("compare.table")->select_row(1);
  auto* const menu = window_->menuBar()->findChild<QMenu*>(QStringLiteral("menu.selected"));
  ASSERT_NE(menu, nullptr);
  for (int again = 0; again < 2; ++again) {
    emit menu->aboutToShow();
    EXPECT_EQ(menu->findChildren<QAction*>(QStringLiteral("handover.tune-piece")).size(), 1) << "made anew each time";
  }
  menu->findChild<QAction*>(QStringLiteral("copy.page"))->trigger();
  EXPECT_EQ(QApplication::clipboard()->text(), "fuselab compare bert-base-layer --shape batch=1,seq=128");
  EXPECT_TRUE(find<QLabel>("status.state")->text().startsWith("Copied: fuselab compare"));
}

TEST_F(HandOver, EveryCommandOfEveryPageIsOneOfTheTerminalProgram) {
  MainWindow::Options options;
  options.config.database = folder_.filePath("my results.db").toStdString();
  open(options);
  window_->bench().model.choose({"my model's.onnx", "batch=1"});
  int seen = 0;
  const auto see = [&](const QString& command) {
    ++seen;
    expect_parses(command);
    EXPECT_TRUE(command.contains("my results.db'")) << command.toStdString();
  };
  for (const PageSpec& spec : page_specs()) {
    window_->show_page(spec.id);
    ASSERT_TRUE(settle());
    if (const std::string own = window_->page(spec.id)->own_command(); !own.empty()) see(text_of(own));
    for (auto* table : window_->page(spec.id)->findChildren<TableView*>()) {
      if (table->contextMenuPolicy() != Qt::CustomContextMenu || !table->isVisible() || table->model()->rowCount() == 0) continue;
      table->select_row(0);
      for (const auto& [name, command] : commands(table->objectName().toUtf8().constData())) see(command);
    }
  }
  EXPECT_GE(seen, 20);
}

TEST(CommandText, IsTheWholeJob) {
  engine::JobSpec spec;
  spec.verb = engine::JobSpec::Verb::kTune;
  spec.subjects = {"my model's.onnx", "graph(x: f32[8]) { y = Relu(x); return y }"};
  spec.bindings = {"batch=8,seq=128"};
  spec.devices = {{"cpu", "opencl:0"}, {"null"}, {"onednn"}};
  spec.dtype = "bf16";
  spec.level = "O3";
  spec.strategy = "random";
  spec.budget_seconds = 12.5;
  spec.budget_trials = 7;
  spec.seed = 3;
  spec.protocol.mode = CacheMode::kCold;
  spec.keep_all_binaries = spec.remeasure = spec.cold = spec.slow_whole_models = spec.decide = true;
  spec.accepted.add(Drawback::kNanLoss);
  spec.accepted.add(Drawback::kPrecisionLoss);
  const QString command = text_of(command_of(engine::Config(), spec));
  expect_parses(command);
  EXPECT_EQ(words_of(command).mid(0, 4).join('|'), "fuselab|tune|my model's.onnx|graph(x: f32[8]) { y = Relu(x); return y }");
  EXPECT_EQ(words_of(command).mid(4).join(' '),
            "--shape batch=8,seq=128 --device cpu --device opencl:0 --no-device null --prefer onednn --dtype bf16 --level O3 "
            "--mode cold --accept nan-loss --accept precision-loss --seed 3 --strategy random --budget 12.5 --trials 7 --keep "
            "--remeasure --cold --whole --decide");
  EXPECT_EQ(command_of(engine::Config(), engine::JobSpec()), "fuselab run") << "what is as usual need not be typed";
}

TEST(HandedCase, OfTheGateIsAModelOrAGraph) {
  const Handed built_in = gated_subject("w5-softmax rows=128,cols=1024 f32", "cpu:0");
  EXPECT_EQ(built_in.model, "w5-softmax");
  EXPECT_EQ(built_in.binding, "rows=128,cols=1024");
  EXPECT_EQ(built_in.dtype, "f32");
  EXPECT_EQ(built_in.device, "cpu:0");
  EXPECT_EQ(gated_subject("graph(x: f32[8]) { y = Relu(x); return y }", "cpu:0").model, "");
}

}  // namespace
}  // namespace fuselab::gui::test
