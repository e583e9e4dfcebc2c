// SPDX-License-Identifier: Apache-2.0
// What the job works through, as the Tuning page lists it.
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include "app/gui/link/snapshots.h"
#include "app/gui/look/figures.h"
#include "app/gui/models/piece_model.h"
#include "app/gui/pages/tuning/piece_queue_model.h"
#include "tests/gui/support/fake_engine.h"

namespace fuselab::gui::test {
namespace {

QString text_at(const QAbstractItemModel& model, int row, int column) {
  return model.index(row, column).data(Qt::DisplayRole).toString();
}

TEST(PieceQueueModel, PutsWhatRunsFirstThenWhatWaitsThenWhatIsDone) {
  JobBridge job;
  PieceQueueModel model(job);
  const QAbstractItemModelTester watched(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  EXPECT_EQ(model.rowCount(), 0);
  auto script = std::make_shared<JobScript>();
  engine::JobProgress progress;
  progress.state = engine::JobState::kRunning;
  progress.activity = "decoder/swiglu on cpu:0";
  script->push(progress);
  script->push(engine::TableChanged{canned_table()});
  job.attach(std::make_unique<FakeJob>(script));
  ASSERT_TRUE(QTest::qWaitFor([&] { return model.rowCount() == 20; }, 60'000)) << "ten pieces on two devices";
  EXPECT_EQ(text_at(model, 0, PieceQueueModel::kPiece), "decoder/swiglu");
  EXPECT_EQ(text_at(model, 0, PieceQueueModel::kState), QStringLiteral("● running"));
  EXPECT_EQ(model.unmeasured(), 4);
  EXPECT_EQ(text_at(model, 1, PieceQueueModel::kState), "waiting");
  EXPECT_EQ(text_at(model, 1, PieceQueueModel::kFused), QStringLiteral("…"));
  EXPECT_EQ(text_at(model, 5, PieceQueueModel::kState), QStringLiteral("✓ confirmed"));
}

// By the rule of the gate: a winner that only looked faster is not taken, and nobody has to guess why.
TEST(PieceQueueModel, SaysHowASearchsWinnerFaredAgainstItsStart) {
  JobBridge job;
  PieceQueueModel model(job);
  engine::CompareTable table = canned_table();
  table.rows.resize(4);
  for (engine::CompareRow& row : table.rows) row.cells.resize(1);
  table.rows[0].cells[0].tuning = {"vector=1", "vector=8", "improved", 0.8, 0.78, 0.82, 6, "", false};
  table.rows[1].cells[0].tuning = {"vector=1", "vector=8", "equivalent", 1.0, 0.99, 1.01, 6, "", false};
  table.rows[2].cells[0].tuning = {"vector=1", "vector=8", "", 1, 0, 0, 0, "6 of 7 processes were disturbed", true};
  auto script = std::make_shared<JobScript>();
  script->push(engine::TableChanged{table});
  job.attach(std::make_unique<FakeJob>(script));
  ASSERT_TRUE(QTest::qWaitFor([&] { return model.rowCount() == 4; }, 60'000));
  const auto decided = [&](const std::string& piece, int role) {
    for (int row = 0; row < model.rowCount(); ++row) {
      if (text_at(model, row, PieceQueueModel::kPiece).toStdString() == piece)
        return model.index(row, PieceQueueModel::kDecided).data(role).toString().toStdString();
    }
    return std::string("no such piece");
  };
  EXPECT_EQ(decided(table.rows[0].name, Qt::DisplayRole), "1.25x [1.22, 1.28]");
  EXPECT_EQ(decided(table.rows[0].name, Qt::ToolTipRole),
            "vector=8 is 1.25x faster [1.22, 1.28] than vector=1, which the search began with (6 processes)");
  EXPECT_EQ(decided(table.rows[1].name, Qt::DisplayRole), "equivalent");
  EXPECT_EQ(decided(table.rows[2].name, Qt::DisplayRole), "not decided");
  EXPECT_EQ(decided(table.rows[2].name, Qt::ToolTipRole),
            "vector=1 stays: vector=8 could not be compared with it: 6 of 7 processes were disturbed");
  EXPECT_EQ(decided(table.rows[3].name, Qt::DisplayRole), "\u2013") << "no search chose it";
  PieceModel details;
  details.show(&table.rows[1]);
  std::string facts;
  for (int row = 0; row < details.rowCount(); ++row) facts += text_at(details, row, 1).toStdString() + "\n";
  EXPECT_NE(facts.find("vector=1 stays: vector=8 is as fast within 1%: 1.00x [0.99, 1.01] (6 processes)"), std::string::npos)
      << facts;
}

TEST(PieceQueueModel, HoldsNothingThatIsNoPartOfTheJob) {
  EngineLink engine(fake_factory(std::make_shared<EngineScript>()));  // what is stored has two devices and no level
  JobBridge job;
  Snapshots views(engine, job);
  PieceQueueModel model(job);
  const QSignalSpy opened(&views, &Snapshots::tables_changed);
  engine.open();
  ASSERT_TRUE(QTest::qWaitFor([&] { return !opened.isEmpty(); }, 60'000));
  EXPECT_EQ(model.rowCount(), 0) << "no job, no queue";

  engine::CompareTable own = canned_table();
  own.level = "O2";
  for (engine::CompareRow& row : own.rows) row.cells.resize(1);
  engine::CompareTable half = own;
  half.dtype = "f16";
  auto script = std::make_shared<JobScript>();
  script->push(engine::TableChanged{own});
  script->push(engine::TableChanged{half});
  job.attach(std::make_unique<FakeJob>(script));
  ASSERT_TRUE(QTest::qWaitFor([&] { return model.rowCount() == 20; }, 60'000)) << "ten pieces, two element types, one device";
  EXPECT_EQ(text_at(model, 0, PieceQueueModel::kState), "waiting");
  const qsizetype before = opened.count();
  script->end(engine::JobState::kFinished);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !job.active() && opened.count() > before && engine.is_idle(); }, 60'000));
  EXPECT_EQ(model.rowCount(), 20) << "what is stored besides is none of this job's";
  EXPECT_EQ(text_at(model, 0, PieceQueueModel::kState), "not measured") << "nothing waits any more";
  const PieceQueueModel late(job);
  EXPECT_EQ(late.rowCount(), 20) << "a page that is made afterwards shows the same";
}

}  // namespace
}  // namespace fuselab::gui::test
