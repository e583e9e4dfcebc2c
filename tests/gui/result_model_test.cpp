// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <deque>

#include "app/gui/look/figures.h"
#include "app/gui/pages/results/result_model.h"
#include "app/gui/tables/table_view.h"
#include "tests/gui/support/canned.h"

namespace fuselab::gui::test {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

// Answers when told to, so that a test decides what has arrived.
struct Shelf {
  std::int64_t rows = kMillion;
  std::deque<std::function<void()>> answers;
  std::vector<std::int64_t> offsets;
  std::size_t most_waiting = 0;
  std::string error;
  std::function<void(TrialRow&)> change = [](TrialRow&) {};

  void answer_all() {
    while (!answers.empty()) {
      const auto answer = std::move(answers.front());
      answers.pop_front();
      answer();
    }
  }
};

class ShelfPages : public PageSource {
 public:
  explicit ShelfPages(Shelf& shelf) : shelf_(shelf) {}
  void count(const TrialFilter& /*filter*/, std::function<void(Result<std::int64_t>)> done) override {
    shelf_.answers.push_back([&shelf = shelf_, done] { done(shelf.rows); });
  }
  void page(const TrialFilter& /*filter*/, TrialOrder /*order*/, std::int64_t offset, std::int64_t limit,
            std::function<void(Result<Rows>)> done) override {
    shelf_.offsets.push_back(offset);
    shelf_.answers.push_back([&shelf = shelf_, offset, limit, done] {
      if (!shelf.error.empty()) return done(Error{ErrorCode::kIo, shelf.error});
      Rows rows;
      for (std::int64_t index = offset; index < std::min(offset + limit, shelf.rows); ++index) {
        rows.push_back(canned_row(index));
        shelf.change(rows.back());
      }
      done(std::move(rows));
    });
    shelf_.most_waiting = std::max(shelf_.most_waiting, shelf_.answers.size());
  }

 private:
  Shelf& shelf_;
};

class ResultModelTest : public ::testing::Test {
 protected:
  ResultModelTest() {
    model_.query({}, TrialOrder::kNewestFirst);
    shelf_.answer_all();
  }
  QString at(int row, int column) const { return model_.index(row, column).data(Qt::DisplayRole).toString(); }
  void look_at(int row) {
    (void)at(row, 0);
    QCoreApplication::processEvents();
  }

  Shelf shelf_;
  ResultModel model_{std::make_unique<ShelfPages>(shelf_)};
};

TEST_F(ResultModelTest, MarksATrialThatLosesNaN) {
  shelf_.change = [](TrialRow& row) {
    row.median_ns = 5000;
    row.config = "nan=lost";
  };
  look_at(0);
  shelf_.answer_all();
  EXPECT_TRUE(at(0, ResultModel::kMedian).endsWith("*")) << at(0, ResultModel::kMedian).toStdString();
  EXPECT_TRUE(model_.index(0, ResultModel::kMedian).data(Qt::ToolTipRole).toString().contains("loses NaN"));
}

TEST_F(ResultModelTest, ReportsAMillionRowsBeforeAnyPageIsFetched) {
  EXPECT_EQ(model_.rowCount(), kMillion);
  EXPECT_EQ(model_.pages_requested(), 0);
}

TEST_F(ResultModelTest, ShowsDotsUntilThePageArrives) {
  EXPECT_EQ(at(500'000, ResultModel::kPiece), "…");
  QCoreApplication::processEvents();
  const QSignalSpy changed(&model_, &QAbstractItemModel::dataChanged);
  shelf_.answer_all();
  EXPECT_EQ(changed.count(), 1);
  EXPECT_EQ(at(500'000, ResultModel::kPiece).toStdString(), canned_row(500'000).piece_name);
}

TEST_F(ResultModelTest, FetchesEachPageOnceHoweverManyCellsAreLookedAt) {
  for (int row = 0; row < ResultModel::kPageSize; ++row) {
    for (int column = 0; column < model_.columnCount(); ++column) (void)at(row, column);
  }
  QCoreApplication::processEvents();
  for (int row = 0; row < 50; ++row) look_at(row);
  shelf_.answer_all();
  EXPECT_EQ(model_.pages_requested(), 1);
}

TEST_F(ResultModelTest, ScrollingThroughAMillionRowsAsksForBoundedWork) {
  TableView view;
  view.setModel(&model_);
  view.resize(900, 600);
  view.show();
  QCoreApplication::processEvents();
  shelf_.answer_all();
  QScrollBar* bar = view.verticalScrollBar();
  EXPECT_GT(bar->maximum(), 900'000) << "the scroll bar must show the true size";
  // One drag from top to bottom with no answer arriving: a thousand positions on the way, none of them worth a page.
  const std::int64_t before = model_.pages_requested();
  for (int step = 0; step <= 1000; ++step) {
    bar->setValue(static_cast<int>(static_cast<std::int64_t>(bar->maximum()) * step / 1000));
    view.viewport()->repaint();
  }
  QCoreApplication::processEvents();
  EXPECT_LE(model_.pages_requested() - before, static_cast<std::int64_t>(ResultModel::kRequestsInFlight));
  for (int round = 0; round < 20; ++round) {
    shelf_.answer_all();
    QCoreApplication::processEvents();
  }
  EXPECT_EQ(at(999'999, ResultModel::kPiece).toStdString(), canned_row(999'999).piece_name);
  EXPECT_LE(model_.pages_requested() - before, 12);
}

TEST_F(ResultModelTest, FetchesWhatASteadyScrollIsAboutToReach) {
  for (int page = 10; page < 14; ++page) {
    look_at(page * ResultModel::kPageSize);
    shelf_.answer_all();
  }
  const std::int64_t before = model_.pages_requested();
  EXPECT_NE(at(14 * ResultModel::kPageSize, ResultModel::kPiece), "…") << "it was fetched while the page above was read";
  EXPECT_EQ(model_.pages_requested(), before);
}

TEST_F(ResultModelTest, KeepsABoundedNumberOfPages) {
  for (int page = 0; page < static_cast<int>(ResultModel::kPagesKept) + 40; ++page) {
    look_at(page * ResultModel::kPageSize);
    shelf_.answer_all();
  }
  EXPECT_EQ(model_.row(0), nullptr) << "the first page is the least recently used";
  const int newest = (static_cast<int>(ResultModel::kPagesKept) + 39) * ResultModel::kPageSize;
  EXPECT_NE(model_.row(newest), nullptr);
}

TEST_F(ResultModelTest, DropsAnswersToAnOlderQuestion) {
  look_at(0);
  ASSERT_EQ(shelf_.answers.size(), 1u);
  shelf_.rows = 10;
  model_.query({}, TrialOrder::kFastestFirst);
  shelf_.answer_all();
  EXPECT_EQ(model_.rowCount(), 10);
  EXPECT_EQ(at(0, 0), "…") << "the page of the older question must not be shown";
}

TEST_F(ResultModelTest, SaysWhenAPageCannotBeRead) {
  const QSignalSpy failed(&model_, &ResultModel::failed);
  shelf_.error = "database is locked";
  look_at(0);
  shelf_.answer_all();
  ASSERT_EQ(failed.count(), 1);
  EXPECT_EQ(failed.front().front().toString(), "database is locked");
}

TEST_F(ResultModelTest, AnswersAfterTheModelIsGoneAreHarmless) {
  Shelf shelf;
  auto model = std::make_unique<ResultModel>(std::make_unique<ShelfPages>(shelf));
  model->query({}, TrialOrder::kNewestFirst);
  const auto late = shelf.answers.front();
  model.reset();
  late();
  EXPECT_EQ(shelf.offsets.size(), 0u);
}

TEST_F(ResultModelTest, SaysInWhichModeAndForWhichModelEachTrialWasTimed) {
  look_at(0);
  shelf_.answer_all();
  EXPECT_EQ(at(4, ResultModel::kMode), "…") << "until the catalogue is known";
  model_.set_words(std::make_shared<const CatalogWords>(canned_catalog()));
  EXPECT_EQ(at(3, ResultModel::kMode), "warm");
  EXPECT_EQ(at(4, ResultModel::kMode), "cold");
  const bool residual = canned_row(0).piece_name == "stage3/conv2/relu";
  EXPECT_EQ(at(0, ResultModel::kModel), residual ? "resnet50 (batch=1)" : "bert-base-layer (batch=1,seq=128)");
  EXPECT_TRUE(at(0, ResultModel::kShape).startsWith("f32[1,128,"));
}

TEST_F(ResultModelTest, TicksOffOnlyWhatWasTimedAgain) {
  shelf_.change = [](TrialRow& row) {
    row.retimed = true;
    row.outcome = row.id == "trial-0" ? "timed" : "mistrusted";
    row.reason = "beats the ceiling";
  };
  look_at(0);
  shelf_.answer_all();
  EXPECT_EQ(at(0, ResultModel::kOutcome), QString::fromUtf8("timed ✓"));
  EXPECT_EQ(at(1, ResultModel::kOutcome), "withheld") << "a tick would say that it holds";
  EXPECT_EQ(model_.index(1, ResultModel::kOutcome).data(Qt::ToolTipRole).toString(), "beats the ceiling");
}

TEST_F(ResultModelTest, CopiesRowsThatWereNeverLookedAtButNotADot) {
  model_.set_words(std::make_shared<const CatalogWords>(canned_catalog()));
  TableView view;
  view.setSelectionMode(QAbstractItemView::ContiguousSelection);
  view.setModel(&model_);
  const QSignalSpy copied(&view, &TableView::copied), refused(&view, &TableView::not_copied);
  QApplication::clipboard()->setText("before");
  view.selectionModel()->select(QItemSelection(model_.index(5000, 0), model_.index(5299, 0)),
                                QItemSelectionModel::Select | QItemSelectionModel::Rows);
  view.copy_csv();
  shelf_.answer_all();
  ASSERT_EQ(copied.count(), 1);
  EXPECT_EQ(copied.front().front().toString(), "300 rows copied as CSV");
  const QString text = QApplication::clipboard()->text();
  EXPECT_EQ(text.count('\n'), 301) << "a header and every row";
  EXPECT_FALSE(text.contains(QString::fromUtf8("…"))) << text.left(400).toStdString();
  EXPECT_TRUE(text.contains(text_of(canned_row(5000).config)));

  QApplication::clipboard()->setText("before");
  shelf_.error = "database is locked";
  view.copy_markdown();
  shelf_.answer_all();
  ASSERT_EQ(refused.count(), 1);
  EXPECT_TRUE(refused.front().front().toString().contains("database is locked"));
  EXPECT_EQ(QApplication::clipboard()->text(), "before");
}

TEST_F(ResultModelTest, RefusesToCopyAMillionRowsAtOnceAndSaysSo) {
  TableView view;
  view.setSelectionMode(QAbstractItemView::ContiguousSelection);
  view.setModel(&model_);
  const QSignalSpy refused(&view, &TableView::not_copied);
  QApplication::clipboard()->setText("before");
  const std::int64_t before = model_.pages_requested();
  view.selectAll();
  view.copy_csv();
  ASSERT_EQ(refused.count(), 1);
  EXPECT_EQ(refused.front().front().toString().remove(u','), "Not copied: 1000000 rows are selected at most 10000 fit");
  EXPECT_EQ(QApplication::clipboard()->text(), "before");
  EXPECT_EQ(model_.pages_requested(), before) << "no row was walked";
}

TEST_F(ResultModelTest, SaysTheModeInTheRoomThatItsColumnHas) {
  TableView view;
  view.setModel(&model_);
  view.resize(700, 300);  // narrower than all columns
  view.show();
  QCoreApplication::processEvents();
  const QFontMetrics metrics(view.font());
  for (const char* mode : {"warm", "cold", "warm, 7", "warm, 15"})
    EXPECT_LE(metrics.horizontalAdvance(QLatin1String(mode)), view.columnWidth(ResultModel::kMode) - 14) << mode;
}

TEST_F(ResultModelTest, HoldsTheContractOfItemModels) {
  const QAbstractItemModelTester tester(&model_, QAbstractItemModelTester::FailureReportingMode::Fatal);
  shelf_.rows = 300;
  model_.refresh();
  shelf_.answer_all();
  look_at(250);
  shelf_.answer_all();
  EXPECT_EQ(model_.rowCount(), 300);
  EXPECT_NE(model_.row(250), nullptr);
}

}  // namespace
}  // namespace fuselab::gui::test
