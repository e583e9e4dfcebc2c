// SPDX-License-Identifier: Apache-2.0
// Databases of older and newer schemas. fixtures/schema_1.sql is a database as the first schema's program left it.
#include <fstream>
#include <sstream>

#include "db/connection/migrations.h"
#include "tests/unit/db/db_fixture.h"

namespace fuselab::db {
namespace {

class Migrations : public DatabaseTest {
 protected:
  void make_old_database() {
    std::ifstream file(FUSELAB_DB_FIXTURES "/schema_1.sql");
    std::ostringstream text;
    text << file.rdbuf();
    ASSERT_FALSE(text.str().empty());
    SQLite::Database shell(path().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    shell.exec(text.str());
  }
  int schema() {
    SQLite::Database shell(path().string());
    return shell.execAndGet("PRAGMA user_version").getInt();
  }
};

TEST_F(Migrations, AnOldDatabaseIsBroughtUpToDateWithItsRows) {
  make_old_database();
  ASSERT_EQ(schema(), 1);
  {
    auto database = open();
    ASSERT_TRUE(database);
    const auto trial = database->queries().trial("11111111-0000-4000-8000-000000000001");
    ASSERT_TRUE(succeeded(trial) && trial.value());
    EXPECT_EQ(trial.value()->median_ns, 1250.5);
    EXPECT_EQ(trial.value()->config, "vector=8");
    EXPECT_FALSE(trial.value()->conditions) << "nobody kept them then";
    const auto info = database->info();
    ASSERT_TRUE(succeeded(info));
    EXPECT_EQ(info.value().schema, info.value().newest_schema);
    const auto report = database->verify();
    ASSERT_TRUE(succeeded(report));
    EXPECT_TRUE(report.value().sound()) << report.value().problems.front();
  }
  SQLite::Database shell(path().string());
  EXPECT_EQ(shell.execAndGet("SELECT count(*) FROM best").getInt(), 1);
}

TEST_F(Migrations, AReaderReadsAnOldDatabaseAsItIs) {
  make_old_database();
  auto database = open(Access::kRead);
  ASSERT_TRUE(database);
  const auto count = database->queries().count_trials({});
  ASSERT_TRUE(succeeded(count));
  EXPECT_EQ(count.value(), 1);
  const auto trial = database->queries().trial("11111111-0000-4000-8000-000000000001");
  ASSERT_TRUE(succeeded(trial) && trial.value());
  EXPECT_FALSE(trial.value()->conditions);
  EXPECT_EQ(schema(), 1);
}

TEST_F(Migrations, AnOldDatabaseCanBeMerged) {
  make_old_database();
  auto database = open(Access::kWrite, "new.db");
  ASSERT_TRUE(database);
  ASSERT_TRUE(succeeded(database->merge(path())));
  EXPECT_EQ(database->queries().count_trials({}).value(), 1);
}

TEST_F(Migrations, UsesOfPiecesFromBeforeLevelsWereStoredAreReadAndMergedWithoutOne) {
  make_old_database();
  edit("INSERT INTO model_piece VALUES (1, 'w3', 'rows=8', 0, 'key', 'Add', 1, '', 'old-host', 'measured-here')");
  const auto level_is_unknown = [](Database& database) {
    const auto catalog = database.queries().catalog();
    ASSERT_TRUE(succeeded(catalog));
    ASSERT_EQ(catalog.value().model_pieces.size(), 1u);
    EXPECT_EQ(catalog.value().model_pieces[0].model, "w3");
    EXPECT_EQ(catalog.value().model_pieces[0].level, "");
  };
  {
    auto merged = open(Access::kWrite, "new.db");
    ASSERT_TRUE(merged);
    ASSERT_TRUE(succeeded(merged->merge(path())));
    level_is_unknown(*merged);
  }
  for (const Access access : {Access::kRead, Access::kWrite, Access::kRead}) {
    auto database = open(access);
    ASSERT_TRUE(database);
    level_is_unknown(*database);
  }
}

TEST_F(Migrations, EndsOfSearchesFromBeforeTheySaidWhyStayValid) {
  make_old_database();
  edit(
      "INSERT INTO tuning VALUES (9, 'g', 'cpu:0', 'm', 'e', 'gen', 'random', 2.5, 40, 12, 'trials', 'vector=8', 10, 'old-host',"
      " 'measured-here')");
  const auto is_read = [](Database& database) {
    const auto tuning = database.queries().tuning({"g", "cpu:0", "m", "e"}, "gen");
    ASSERT_TRUE(succeeded(tuning) && tuning.value());
    EXPECT_EQ(tuning.value()->best_config, "vector=8");
    EXPECT_FALSE(tuning.value()->decision.is_known());
    const auto gain = database.queries().gain({"fused", "unfused", "cpu:0", "m", "e"});
    ASSERT_TRUE(succeeded(gain));
    EXPECT_FALSE(gain.value()) << "of before such were stored";
  };
  {
    auto merged = open(Access::kWrite, "new.db");
    ASSERT_TRUE(merged);
    ASSERT_TRUE(succeeded(merged->merge(path())));
    is_read(*merged);
  }
  for (const Access access : {Access::kRead, Access::kWrite, Access::kRead}) {
    auto database = open(access);
    ASSERT_TRUE(database);
    is_read(*database);
  }
}

TEST_F(Migrations, DatabasesFromBeforeProfilesWereStoredHaveNone) {
  for (int from = 1; from < newest_schema(); ++from) {
    const std::string name = "schema_" + std::to_string(from) + ".db";
    {
      { SQLite::Database(path(name).string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE); }
      migrate(*Connection::open(path(name), Connection::Mode::kReadWrite), 0, from);
    }
    for (const Access access : {Access::kRead, Access::kWrite, Access::kRead}) {
      auto database = open(access, name);
      ASSERT_TRUE(database) << from;
      const auto none = database->queries().profiles("plan", "cpu:0", "e");
      ASSERT_TRUE(succeeded(none)) << from;
      EXPECT_TRUE(none.value().empty()) << from;
    }
    auto merged = open(Access::kWrite, "merged_" + name);
    ASSERT_TRUE(merged) << from;
    EXPECT_TRUE(succeeded(merged->merge(path(name)))) << from;
  }
}

TEST_F(Migrations, ReopeningChangesNothing) {
  { ASSERT_TRUE(open()); }
  const int first = schema();
  { ASSERT_TRUE(open()); }
  EXPECT_EQ(schema(), first);
  EXPECT_GE(first, 2);
}

TEST_F(Migrations, TheFileCarriesOurMark) {
  { ASSERT_TRUE(open()); }
  SQLite::Database shell(path().string());
  EXPECT_EQ(shell.execAndGet("PRAGMA application_id").getInt(), 0x46754c62);
  EXPECT_EQ(shell.execAndGet("PRAGMA journal_mode").getString(), "wal");
}

}  // namespace
}  // namespace fuselab::db
