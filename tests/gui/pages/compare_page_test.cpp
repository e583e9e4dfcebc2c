// SPDX-License-Identifier: Apache-2.0
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPainter>
#include <QPushButton>
#include <QStandardItemModel>
#include <QStyleOption>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>

#include "app/engine/compare/standing/backend_standing.h"
#include "app/engine/subject/user_choice.h"
#include "app/gui/graph/graph_canvas.h"
#include "app/gui/look/elided_label.h"
#include "app/gui/models/compare_model.h"
#include "app/gui/pages/results/result_model.h"
#include "app/gui/plots/plot_canvas.h"
#include "app/gui/tables/table_view.h"
#include "app/gui/tables/tone_delegate.h"
#include "db/database.h"
#include "tests/gui/support/window_fixture.h"

namespace fuselab::gui::test {
namespace {

using ComparePage = WindowTest;

// One piece of one model, measured nowhere: as little as makes a table.
Catalog stored_catalog() {
  Catalog catalog = canned_catalog();
  const std::string text = "graph(i0: f32[2,64]) { v0 = Exp(i0); return v0 }";
  catalog.pieces = {{ContentHash::of(text).hex(), text, "Exp", "Single", {}}};
  catalog.model_pieces = {{catalog.runs.front().id, "one_piece", "", catalog.pieces.front().key, "Exp", 0, 1, "", "O2", ""}};
  return catalog;
}

TEST_F(ComparePage, CompareDrawsTheChosenPiecesAndTheRoofline) {
  open();
  auto* table = find<TableView>("compare.table");
  table->select_row(1);
  auto* bars = find<PlotCanvas>("compare.times.canvas");
  EXPECT_EQ(bars->spec().x.categories, QStringList("attention/softmax"));
  EXPECT_EQ(bars->spec().series.size(), 3u);
  EXPECT_FALSE(is_empty(find<PlotCanvas>("compare.roofline.canvas")->spec()));
  find<QLineEdit>("compare.filter")->setText("norm");
  EXPECT_EQ(table->model()->rowCount(), 1);
}

// Who believes "Nothing measured yet" over thousands of trials starts a long job.
TEST_F(ComparePage, WhatIsStoredIsNeverDeniedWhileItLoads) {
  script_->compares_slowly = true;
  script_->catalog.model_pieces.clear();  // so that nothing can be shown before it is checked
  window_ = std::make_unique<MainWindow>(fake_factory(script_), settings_, MainWindow::Options());
  window_->show_page(PageId::kCompare);
  window_->show();
  auto* title = window_->page(PageId::kCompare)->findChild<QLabel*>("emptyTitle");
  EXPECT_EQ(title->text(), "Looking for what is stored…");
  EXPECT_TRUE(QTest::qWaitFor([&] { return title->text() == "Loading 2,000 trials…"; }, 10'000)) << title->text().toStdString();
  EXPECT_EQ(find<QLabel>("status.state")->text(), "Loading 2,000 trials…");
  script_->compares_slowly = false;
  ASSERT_TRUE(settle());
  EXPECT_EQ(find<QLabel>("status.state")->text(), "Ready");
  EXPECT_GT(find<TableView>("compare.table")->model()->rowCount(), 0);
}

TEST_F(ComparePage, WhatIsStoredIsShownWhileItIsChecked) {
  script_->compares_slowly = true;
  script_->config.key_directory = folder_.filePath("keys").toStdString();
  script_->catalog = stored_catalog();
  window_ = std::make_unique<MainWindow>(fake_factory(script_), settings_, MainWindow::Options());
  window_->show_page(PageId::kCompare);
  window_->show();
  const auto* table = find<TableView>("compare.table");
  EXPECT_TRUE(QTest::qWaitFor([&] { return table->model()->rowCount() == 1; }, 10'000));
  EXPECT_TRUE(find<QLabel>("compare.subtitle")->text().startsWith("checking…"))
      << find<QLabel>("compare.subtitle")->text().toStdString();
  EXPECT_EQ(find<QLabel>("status.state")->text(), "Checking 2,000 trials…");
  script_->compares_slowly = false;
  ASSERT_TRUE(settle());
  EXPECT_GT(table->model()->rowCount(), 1) << "the canned tables, which count as checked";
  EXPECT_FALSE(find<QLabel>("compare.subtitle")->text().contains("checking"));
}

TEST_F(ComparePage, AfterAJobItShowsWhatWasMeasured) {
  script_->tables.push_back(canned_table());
  script_->tables.back().model = "small_cnn";
  open();
  auto* models = find<QComboBox>("compare.model");
  EXPECT_EQ(models->currentIndex(), 0);
  window_->bench().control.start_default();
  ASSERT_TRUE(settle());
  script_->job->push(engine::TableChanged{script_->tables.back()});
  EXPECT_TRUE(QTest::qWaitFor([&] { return models->currentText().startsWith("small_cnn"); }, 10'000));
  script_->job->end(engine::JobState::kFinished);
  ASSERT_TRUE(QTest::qWaitFor([this] { return !window_->bench().job.active(); }, 10'000));
  ASSERT_TRUE(settle());
  EXPECT_TRUE(models->currentText().startsWith("small_cnn")) << models->currentText().toStdString();
  emit window_->bench().views.tables_changed();
  models->setCurrentIndex(0);
  emit models->activated(0);
  emit window_->bench().views.tables_changed();
  EXPECT_EQ(models->currentIndex(), 0) << "the user's choice stays";
}

TEST_F(ComparePage, CompareOpensOnTheRecommendedDeviceAndComparesTheBackends) {
  for (engine::CompareRow& row : script_->tables.front().rows) {
    row.cells[0] = unmeasured_cell("cpu:0");  // not measured there
    if (!row.recommended_device.empty()) row.recommended_device = "opencl:0";
  }
  open();
  auto* devices = find<QComboBox>("compare.device");
  EXPECT_EQ(devices->currentText(), "opencl:0");
  EXPECT_FALSE(is_empty(find<PlotCanvas>("compare.times.canvas")->spec()));
  EXPECT_EQ(find<PlotCanvas>("compare.backends.canvas")->spec().x.categories, QStringList("opencl:0 (recommended)"));
  EXPECT_EQ(find<QTabWidget>("compare.tabs")->currentIndex(), 0) << "one device is no comparison";

  emit window_->bench().job.table_changed(std::make_shared<const engine::CompareTable>(canned_table()));
  QApplication::processEvents();
  EXPECT_EQ(devices->currentText(), "cpu:0") << "nobody chose another";
  EXPECT_TRUE(find<PlotCanvas>("compare.backends.canvas")->isVisible()) << "now there is something to compare";
  find<TableView>("compare.table")->select_row(1);
  EXPECT_EQ(find<PlotCanvas>("compare.backends.canvas")->spec().x.categories, QStringList({"cpu:0 (recommended)", "opencl:0"}));
}

TEST_F(ComparePage, CompareSetsAndClearsTheDefaultBackend) {
  script_->config.key_directory = folder_.path().toStdString();
  open();
  auto* button = find<QToolButton>("compare.default");
  EXPECT_EQ(button->text(), "Default: cpu") << "nothing is set or measured here";
  const auto act = [&](const QString& text) {
    emit button->menu()->aboutToShow();
    for (QAction* action : button->menu()->actions()) {
      if (action->text().startsWith(text)) action->trigger();
    }
    ASSERT_TRUE(settle());
  };
  act("Set cpu as default");
  EXPECT_EQ(button->text(), "Default: cpu");
  EXPECT_TRUE(button->toolTip().startsWith("Set by you (")) << button->toolTip().toStdString();
  const auto stored = engine::read_stored_default(engine::default_file(script_->config.key_directory));
  ASSERT_TRUE(stored.ok() && stored.value());
  EXPECT_EQ(stored.value()->backend, "cpu");
  const engine::BackendStandings standings = engine::backend_standings(window_->bench().views.tables());
  EXPECT_EQ(standings.backends.front().backend, "cpu") << "of the canned table";
  QStringList texts;
  for (QAction* action : button->menu()->actions()) texts << action->text();
  EXPECT_TRUE(texts.join('|').contains("Set cpu as default: fastest for ")) << texts.join('|').toStdString();
  act("Let measurements decide");
  EXPECT_FALSE(button->toolTip().startsWith("Set by you (")) << button->toolTip().toStdString();
  EXPECT_FALSE(engine::read_stored_default(engine::default_file(script_->config.key_directory)).value());
}

TEST_F(ComparePage, ASlowerDefaultIsSetAfterAQuestionWithItsFigure) {
  script_->config.key_directory = folder_.path().toStdString();
  for (BackendReport& backend : script_->backends) {
    if (backend.id != "opencl") continue;
    backend.availability = Availability{true, ""};
    backend.devices.resize(1);
    backend.devices.front().id = "opencl:0";
    backend.devices.front().backend = "opencl";
  }
  open();
  auto* button = find<QToolButton>("compare.default");
  emit button->menu()->aboutToShow();
  for (QAction* action : button->menu()->actions()) {
    if (action->text().startsWith("Set opencl as default: fastest for 0 of ")) action->trigger();
  }
  auto* ask = find<QMessageBox>("default.ask");
  ASSERT_NE(ask, nullptr);
  EXPECT_TRUE(ask->text().startsWith("opencl is the slower choice here: fastest for 0 of ")) << ask->text().toStdString();
  EXPECT_TRUE(ask->text().contains("1.31× the best's time")) << ask->text().toStdString();
  EXPECT_TRUE(ask->informativeText().startsWith("cpu: fastest for ")) << ask->informativeText().toStdString();
  ASSERT_TRUE(settle());
  const auto stored = [this] { return engine::read_stored_default(engine::default_file(script_->config.key_directory)).value(); };
  EXPECT_FALSE(stored()) << "not without a word";
  click(find<QPushButton>("default.anyway"));
  ASSERT_TRUE(settle());
  ASSERT_TRUE(stored());
  EXPECT_EQ(stored()->backend, "opencl");
}

TEST_F(ComparePage, ARefusedDefaultIsAMessage) {
  open();  // without a configuration folder
  auto* button = find<QToolButton>("compare.default");
  emit button->menu()->aboutToShow();
  for (QAction* action : button->menu()->actions()) {
    if (action->text().startsWith("Set cpu")) action->trigger();
  }
  ASSERT_TRUE(settle());
  EXPECT_TRUE(find<QMessageBox>("default.refused")->text().contains("no configuration folder"));
}

TEST_F(ComparePage, CompareSaysWhenWhatIsStoredIsOfAnotherEnvironment) {
  for (engine::CompareRow& row : script_->tables.front().rows) {
    for (engine::CompareCell& cell : row.cells) cell = unmeasured_cell(cell.device_id);
  }
  script_->trials = 306;
  open();
  const auto said = [this] {
    QStringList texts;
    for (const QLabel* label : window_->page(PageId::kCompare)->findChildren<QLabel*>()) {
      if (label->isVisible()) texts << label->text();
    }
    return texts.join('\n');
  };
  EXPECT_TRUE(said().contains("306 trials stored, none valid here (other environment or version)")) << said().toStdString();
  script_->tables.clear();
  window_->bench().views.reload_stored();
  ASSERT_TRUE(settle());
  EXPECT_TRUE(said().contains("306 trials stored, none valid here")) << said().toStdString();
}

TEST_F(ComparePage, SaysThatWhatIsStoredIsOnlyScripted) {
  for (engine::CompareRow& row : script_->tables.front().rows) {
    for (engine::CompareCell& cell : row.cells) cell = unmeasured_cell(cell.device_id);
  }
  script_->trials = script_->scripted = 196;
  open();
  const QString why = "Only scripted trials are stored (196): the page Results shows them with Synthetic ticked";
  EXPECT_EQ(find<QLabel>("compare.subtitle")->text(), why);
  script_->tables.clear();
  window_->bench().views.reload_stored();
  ASSERT_TRUE(settle());
  const auto* title = window_->page(PageId::kCompare)->findChild<QLabel*>("emptyTitle");
  EXPECT_EQ(title->text(), "Only scripted trials are stored (196)");
  script_->trials = 199;
  window_->bench().views.reload_stored();
  ASSERT_TRUE(settle());
  EXPECT_EQ(title->text(), "3 trials stored, none valid here (other environment or version)")
      << "the scripted ones are not compared";
}

TEST_F(ComparePage, SaysWholeWhyItIsEmptyInTheSmallestWindowAndShowsNoEmptyBox) {
  script_->tables.clear();
  script_->trials = 196;
  open();
  window_->resize(MainWindow::kSmallest);
  QApplication::processEvents();
  const auto* title = window_->page(PageId::kCompare)->findChild<QLabel*>("emptyTitle");
  EXPECT_GT(title->fontMetrics().horizontalAdvance(title->text()), title->width()) << "it does not fit into one line";
  EXPECT_TRUE(title->wordWrap());
  EXPECT_GE(title->height(), title->heightForWidth(title->width()));
  for (const QComboBox* box : window_->page(PageId::kCompare)->findChildren<QComboBox*>())
    EXPECT_FALSE(box->isVisible() && box->count() == 0) << box->objectName().toStdString();
}

TEST_F(ComparePage, CountsEachPieceOnceOnItsRecommendedDevice) {
  open();
  EXPECT_TRUE(
      find<QLabel>("compare.subtitle")
          ->text()
          .startsWith(QString::fromUtf8(
              "10 distinct pieces, 95 in the model · on its recommended device fusion wins 5, loses 1, undecided or the same 1 · "
              "1 failed · 2 open")))
      << find<QLabel>("compare.subtitle")->text().toStdString();
}

TEST_F(ComparePage, SaysWhenNobodyCouldCheckWhatIsStored) {
  script_->tables.front().unchecked = "cpu: no C compiler found";
  open();
  EXPECT_TRUE(find<QLabel>("compare.subtitle")->text().endsWith(QStringLiteral(" · as stored: cpu: no C compiler found")));
}

TEST_F(ComparePage, ShowsTheWholeQuestionWhereThereIsRoomAndElseInTheTooltip) {
  script_->tables.front().model = "bert-base-layer-of-a-long-name";
  script_->tables.front().binding = "batch=1,seq=128";
  script_->tables.front().level = "O2";
  open();
  auto* models = find<QComboBox>("compare.model");
  window_->resize(1280, 800);
  QApplication::processEvents();
  QStyleOptionComboBox option;
  option.initFrom(models);
  const auto room = [&] {
    option.rect = models->rect();
    return models->style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, models).width();
  };
  const QString whole = models->currentText();
  ASSERT_TRUE(whole.contains("seq=128") && whole.endsWith("O2")) << whole.toStdString();
  EXPECT_GE(room(), models->fontMetrics().horizontalAdvance(whole));
  EXPECT_TRUE(models->toolTip().contains(whole));
  window_->resize(MainWindow::kSmallest);
  QApplication::processEvents();
  EXPECT_EQ(window_->size(), MainWindow::kSmallest);
  EXPECT_LE(models->parentWidget()->mapTo(window_.get(), models->geometry().bottomRight()).x(), window_->width());
}

TEST_F(ComparePage, SaysInWhichModeAnEmptyTableWasMeasuredAndShowsIt) {
  script_->cold_tables = script_->tables;
  for (engine::CompareRow& row : script_->tables.front().rows) {
    for (engine::CompareCell& cell : row.cells) cell = unmeasured_cell(cell.device_id);
  }
  open();
  const auto* said = find<QLabel>("compare.subtitle");
  EXPECT_EQ(said->text(), "Nothing of this was measured in mode warm, but in mode cold: choose it above");
  auto* modes = find<QComboBox>("compare.mode");
  EXPECT_EQ(modes->currentText(), "warm");
  modes->setCurrentIndex(modes->findText("cold"));
  emit modes->activated(modes->currentIndex());
  ASSERT_TRUE(settle());
  EXPECT_TRUE(said->text().contains("10 distinct pieces")) << said->text().toStdString();
  ASSERT_NE(window_->findChild<CompareModel*>()->table(), nullptr);
  EXPECT_EQ(window_->findChild<CompareModel*>()->table()->mode, CacheMode::kCold);
  EXPECT_FALSE(is_empty(find<PlotCanvas>("compare.times.canvas")->spec()));
}

TEST_F(ComparePage, OpensOnTheModeOfTheJobThatRanAndStaysThere) {
  open();
  window_->bench().control.start_default();
  ASSERT_TRUE(settle());
  engine::CompareTable cold = canned_table();
  cold.mode = CacheMode::kCold;
  script_->cold_tables = {cold};
  script_->job->push(engine::TableChanged{cold});
  auto* modes = find<QComboBox>("compare.mode");
  ASSERT_TRUE(QTest::qWaitFor([modes] { return modes->currentText() == "cold"; }, 60'000));
  script_->job->end(engine::JobState::kFinished);
  ASSERT_TRUE(QTest::qWaitFor([this] { return !window_->bench().job.active(); }, 60'000));
  ASSERT_TRUE(settle());
  EXPECT_EQ(modes->currentText(), "cold") << "reading what is stored keeps it";
  ASSERT_FALSE(window_->bench().views.tables().empty());
  EXPECT_EQ(window_->bench().views.tables().front()->mode, CacheMode::kCold);
}

TEST_F(ComparePage, ShowsTheAnswerAndItsFiguresWholeInASmallWindow) {
  script_->tables.front().rows.resize(7);
  for (engine::CompareRow& row : script_->tables.front().rows) row.cells.resize(1);
  open();
  auto* table = find<TableView>("compare.table");
  QFont strong = table->font();
  strong.setWeight(QFont::DemiBold);
  const QFontMetrics metrics(strong);
  for (const int width : {960, 1280}) {
    window_->resize(width, 640);
    QApplication::processEvents();
    ASSERT_EQ(window_->width(), width);
    for (const int column : {CompareModel::kRecommended, CompareModel::kTime, CompareModel::kGainThere, CompareModel::kNextBest,
                             CompareModel::kToBeWon}) {
      const std::string where = std::to_string(width) + " px, column " + std::to_string(column);
      EXPECT_LE(table->columnViewportPosition(column) + table->columnWidth(column), table->viewport()->width()) << where;
      for (int row = 0; row < table->model()->rowCount(); ++row) {
        const QModelIndex index = table->model()->index(row, column);
        const QString whole = index.data().toString();
        const QString shown =
            fitting_figure(whole, index.data(TableModelBase::kBriefRole).toString(), metrics, table->columnWidth(column) - 14);
        EXPECT_NE(shown, "##") << where << ": " << whole.toStdString();
        if (width == 1280) {
          EXPECT_EQ(shown, whole) << where << " of " << table->columnWidth(column) << " px";
        }
      }
    }
  }
}

TEST_F(ComparePage, NeverShowsAPartOfAFigure) {
  const QFontMetrics metrics(QApplication::font());
  const QString figure = QString::fromUtf8("7.52 ms [7.41, 7.54]"), brief = QString::fromUtf8("7.52 ms ±1 %");
  const int whole = metrics.horizontalAdvance(figure), less = metrics.horizontalAdvance(brief);
  EXPECT_EQ(fitting_figure(figure, brief, metrics, whole), figure);
  EXPECT_EQ(fitting_figure(figure, brief, metrics, whole - 1), brief);
  EXPECT_EQ(fitting_figure(figure, brief, metrics, less - 1), "##") << "\"…\" would say that it is not measured";
  EXPECT_EQ(fitting_figure(figure, {}, metrics, whole - 1), "##");
  EXPECT_TRUE(fitting_text("a sentence that is too long", metrics, 60).endsWith(QString::fromUtf8("…")));
}

TEST_F(ComparePage, PaintsWhatIsStrongInBold) {
  const ToneDelegate delegate;
  const auto painted = [&delegate](bool strong) {
    QStandardItemModel model(1, 1);
    model.setData(model.index(0, 0), "7.52 ms");
    model.setData(model.index(0, 0), strong, TableModelBase::kStrongRole);
    QTableView view;
    QImage image(120, 24, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    QStyleOptionViewItem option;
    option.initFrom(&view);
    option.widget = &view;
    option.font = QFont();
    option.rect = image.rect();
    delegate.paint(&painter, option, model.index(0, 0));
    return image;
  };
  EXPECT_NE(painted(true), painted(false));
}

TEST_F(ComparePage, TellsTwoPathsApartWhereThereIsLittleRoom) {
  const QFontMetrics metrics(QApplication::font());
  const int room = metrics.horizontalAdvance(QString::fromUtf8("a…/output/LayerNorm")) + 2;
  for (const auto& [one, other] : {std::pair{"attention/output/MatMul", "attention/output/LayerNorm"},
                                   std::pair{"attention/query/Transpose", "attention/self/Transpose"}}) {
    EXPECT_NE(fitting_text(one, metrics, room), fitting_text(other, metrics, room)) << one;
  }
  EXPECT_EQ(fitting_text("attention/output/LayerNorm", metrics, room), QString::fromUtf8("a…/output/LayerNorm"));
  EXPECT_LE(metrics.horizontalAdvance(fitting_text("attention/output/LayerNorm", metrics, 60)), 60);
}

TEST_F(ComparePage, ShowsEveryTotalInTheSmallestWindow) {
  open();
  window_->resize(MainWindow::kSmallest);
  QApplication::processEvents();
  ASSERT_EQ(window_->size(), MainWindow::kSmallest) << "no page needs more than the window allows";
  const auto* totals = find<TableView>("compare.totals");
  const int last = totals->model()->rowCount() - 1;
  EXPECT_LE(totals->rowViewportPosition(last) + totals->rowHeight(last), totals->viewport()->height());
  constexpr int kMeasured = 4;
  EXPECT_LE(totals->columnViewportPosition(kMeasured) + totals->columnWidth(kMeasured), totals->viewport()->width());
}

TEST_F(ComparePage, AMessageThatIsTooLongSaysSoAndIsWholeInItsTooltip) {
  open();
  auto* state = find<QLabel>("status.state");
  const QString long_one = QStringLiteral("the database cannot be read because ").repeated(20);
  emit window_->bench().views.failed(long_one);
  QApplication::processEvents();
  EXPECT_TRUE(static_cast<ElidedLabel*>(state)->shown_text().endsWith(QString::fromUtf8("…")));
  EXPECT_EQ(state->toolTip(), long_one);
}

TEST_F(ComparePage, CompareKeepsTheSelectionWhenAJobReordersThePieces) {
  open();
  auto* table = find<TableView>("compare.table");
  table->select_row(2);
  const QString name = table->model()->index(2, 0).data().toString();
  engine::CompareTable changed = canned_table();
  std::rotate(changed.rows.begin(), changed.rows.begin() + 2, changed.rows.end());
  emit window_->bench().job.table_changed(std::make_shared<const engine::CompareTable>(changed));
  QApplication::processEvents();
  ASSERT_EQ(table->selected_rows().size(), 1u);
  EXPECT_EQ(table->model()->index(table->selected_rows().front(), 0).data().toString(), name);
}

TEST_F(ComparePage, ShowsSixColumnsAndTheReasonUntilAskedForMore) {
  open();
  auto* const table = find<TableView>("compare.table");
  QStringList shown;
  for (int column = 0; column < table->model()->columnCount(); ++column) {
    if (!table->isColumnHidden(column)) shown << table->model()->headerData(column, Qt::Horizontal).toString();
  }
  EXPECT_EQ(shown, QStringList({"Piece", "Best", "Time", "Gain there", "Next best", "Headroom", "Reason"}));
  auto* const columns = find<QComboBox>("compare.columns");
  columns->setCurrentIndex(1);
  emit columns->activated(1);
  for (int column = 0; column < table->model()->columnCount(); ++column) EXPECT_FALSE(table->isColumnHidden(column)) << column;
}

TEST_F(ComparePage, SortsCellsWithoutAFigureLastInBothDirections) {
  open();
  auto* const table = find<TableView>("compare.table");
  for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
    table->sortByColumn(CompareModel::kTime, order);
    const int rows = table->model()->rowCount();
    EXPECT_NE(table->model()->index(0, CompareModel::kTime).data().toString(), QString::fromUtf8("–"));
    EXPECT_EQ(table->model()->index(rows - 1, CompareModel::kTime).data().toString(), QString::fromUtf8("–"));
  }
}

TEST_F(ComparePage, HandsAPieceOverToTuning) {
  open();
  find<TableView>("compare.table")->select_row(0);
  click(find<QAbstractButton>("compare.tune"));
  EXPECT_EQ(window_->current_page(), PageId::kTuning);
  EXPECT_TRUE(find<QLineEdit>("tuning.subjects")->text().startsWith("graph("))
      << find<QLineEdit>("tuning.subjects")->text().toStdString();
}

}  // namespace
}  // namespace fuselab::gui::test
