// SPDX-License-Identifier: Apache-2.0
// Files that must not be opened give a clear error and stay byte for byte what they were.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "core/base/random.h"
#include "db/connection/migrations.h"
#include "tests/unit/db/db_fixture.h"

namespace fuselab::db {
namespace {

class Opening : public DatabaseTest {
 protected:
  std::string bytes(const std::string& name = "results.db") const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void put(const std::string& content, const std::string& name = "results.db") const {
    std::ofstream(path(name), std::ios::binary | std::ios::trunc) << content;
  }
  void make_database(std::int64_t trials = 200) {
    auto database = open();
    ASSERT_TRUE(database);
    ASSERT_TRUE(succeeded(testing::fill_with_synthetic_trials(database->store(), {.count = trials})));
    StoreBatch batch;
    batch.kernels = {testing::synthetic_kernel(1)};
    batch.keep_binaries = {batch.kernels[0].kernel_id()};
    ASSERT_TRUE(succeeded(database->store().commit(batch)));
  }
  void expect_refused(ErrorCode code, const std::string& part) {
    const std::string before = bytes();
    for (const Access access : {Access::kRead, Access::kWrite}) {
      EXPECT_TRUE(failed_with(Database::open(path(), access, trust_), code, part));
      EXPECT_EQ(bytes(), before);
    }
    std::vector<std::string> beside;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      if (entry.is_regular_file() && entry.path() != path()) beside.push_back(entry.path().filename());
    }
    EXPECT_EQ(beside, leftovers_) << "looking left something";
  }

  std::vector<std::string> leftovers_;  // what lay beside it before
};

TEST_F(Opening, AbsentIsNotFoundForReadingAndMadeForWriting) {
  EXPECT_TRUE(failed_with(Database::open(path("deep/er/x.db"), Access::kRead, trust_), ErrorCode::kNotFound, "fuselab bench"));
  EXPECT_FALSE(std::filesystem::exists(path("deep")));
  EXPECT_TRUE(succeeded(Database::open(path("deep/er/x.db"), Access::kWrite, trust_)));
}

TEST_F(Opening, PathsWithSyntaxOfTheirOwnAreJustPaths) {
  for (const char* name : {"a?mode=memory.db", "50%25 #1.db", "spaced name.db"}) {
    { ASSERT_TRUE(open(Access::kWrite, name)); }
    EXPECT_TRUE(std::filesystem::exists(path(name))) << name;
    EXPECT_TRUE(open(Access::kRead, name));
  }
}

// POSIX drops all of a process's locks on a file when any of its descriptors for it is closed. Another program that then comes and
// goes believes to be the last one and removes the log under our writer.
TEST_F(Opening, ASecondOpeningKeepsTheLocksOfTheFirst) {
  make_database(10);
  const auto writer = open();
  ASSERT_TRUE(writer);
  ASSERT_TRUE(succeeded(testing::fill_with_synthetic_trials(writer->store(), {.count = 20, .seed = 2})));
  const auto reader = open(Access::kRead);
  ASSERT_TRUE(reader);
  const std::string visitor = "sqlite3 '" + path().string() + "' 'SELECT count(*) FROM trial' >/dev/null";
  ASSERT_EQ(std::system(visitor.c_str()), 0) << "sqlite3 is a package of resources/packages/test.txt";
  EXPECT_TRUE(std::filesystem::exists(path().string() + "-wal")) << "the visitor removed the log";
  ASSERT_TRUE(succeeded(testing::fill_with_synthetic_trials(writer->store(), {.count = 30, .seed = 3})));
  const auto later = open(Access::kRead);
  ASSERT_TRUE(later);
  TrialFilter everything;
  everything.include_synthetic = true;
  EXPECT_EQ(later->queries().count_trials(everything).value(), 10 + 20 + 30);
}

TEST_F(Opening, TextIsNotADatabase) {
  put("shopping list: milk, eggs\n");
  expect_refused(ErrorCode::kCorrupt, "not a database");
}

// SQLite calls this a mere error, as it does a mistake in a statement.
TEST_F(Opening, AHeaderOfAnUnknownFormatIsDamage) {
  make_database(1);
  constexpr int kSchemaFormat = 47;  // its lowest byte; SQLite knows 1 to 4
  std::fstream file(path(), std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(kSchemaFormat);
  file.put('\x55');
  file.close();
  EXPECT_TRUE(failed_with(Database::open(path(), Access::kWrite, trust_), ErrorCode::kCorrupt, "damaged"));
  EXPECT_TRUE(failed_with(Database::open(path(), Access::kRead, trust_), ErrorCode::kCorrupt, "damaged"));
}

TEST_F(Opening, AFolderIsNotADatabase) {
  std::filesystem::create_directory(path());
  EXPECT_TRUE(failed_with(Database::open(path(), Access::kWrite, trust_), ErrorCode::kCorrupt, "not a file"));
}

TEST_F(Opening, AnotherProgramsDatabaseIsLeftAlone) {
  {
    SQLite::Database other(path().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    other.exec("CREATE TABLE bookmarks (url TEXT)");
  }
  expect_refused(ErrorCode::kCorrupt, "another program");
}

TEST_F(Opening, LeavesNoLogBesideAnotherProgramsDatabaseThatKeepsOne) {
  {
    SQLite::Database other(path().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    other.exec("PRAGMA journal_mode = WAL; CREATE TABLE bookmarks (url TEXT)");
  }
  expect_refused(ErrorCode::kCorrupt, "another program");
}

TEST_F(Opening, AReaderLeavesNothingBesideTheFile) {
  make_database(5);
  const std::string before = bytes();
  for (int time = 0; time < 2; ++time) {
    {
      const auto first = open(Access::kRead), second = open(Access::kRead);
      ASSERT_TRUE(first && second);
      EXPECT_EQ(first->queries().count_trials(every_trial()).value(), 5);
      EXPECT_EQ(second->queries().count_trials(every_trial()).value(), 5);
    }
    EXPECT_FALSE(std::filesystem::exists(path("results.db-wal")));
    EXPECT_FALSE(std::filesystem::exists(path("results.db-shm")));
    // What an earlier Fuselab's readers left goes as well.
    put("", "results.db-wal");
  }
  EXPECT_EQ(bytes(), before);
}

TEST_F(Opening, ANamelessDatabaseIsNamedAsTheMistake) {
  for (const Access access : {Access::kRead, Access::kWrite})
    EXPECT_TRUE(failed_with(Database::open("", access, trust_), ErrorCode::kInvalidArgument, "the name of the database is empty"));
}

TEST_F(Opening, ANewerDatabaseSaysWhichSchema) {
  make_database();
  leftovers_ = {"results.db.lock"};  // of the writer that made it
  edit("PRAGMA user_version = 99");
  expect_refused(ErrorCode::kUnsupported,
                 "written by a newer Fuselab (schema 99, this one knows " + std::to_string(newest_schema()) + ")");
}

TEST_F(Opening, AReadOnlyFileIsReadButNotWritten) {
  make_database();
  const std::string before = bytes();
  ASSERT_EQ(::chmod(path().c_str(), 0444), 0);
  EXPECT_TRUE(failed_with(Database::open(path(), Access::kWrite, trust_), ErrorCode::kIo, "is read-only"));
  auto reader = open(Access::kRead);
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->queries().count_trials(every_trial()).value(), 200);
  EXPECT_EQ(bytes(), before);
}

TEST_F(Opening, ASecondWriterIsToldWhoTheFirstIsAndReadersGoOn) {
  auto writer = open();
  ASSERT_TRUE(writer);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto second = Database::open(path(), Access::kWrite, trust_);
    const std::string holder = "pid " + std::to_string(::getppid());
    const bool told = failed_with(second, ErrorCode::kBusy, holder) && failed_with(second, ErrorCode::kBusy, "--db");
    const bool reads = Database::open(path(), Access::kRead, trust_).ok();
    ::_exit(told && reads ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(succeeded(testing::fill_with_synthetic_trials(writer->store(), {.count = 10})));
}

TEST_F(Opening, ALinkToADatabaseIsThatDatabaseForWritersToo) {
  std::filesystem::create_symlink("results.db", path("link.db"));
  std::filesystem::create_directory_symlink(folder_, path("folder"));
  // Also before there is anything to link to.
  for (const char* name : {"link.db", "folder/results.db", "folder/link.db"}) {
    auto first = open(Access::kWrite, name);
    ASSERT_TRUE(first);
    for (const char* other : {"results.db", "link.db", "folder/link.db"}) {
      EXPECT_TRUE(failed_with(Database::open(path(other), Access::kWrite, trust_), ErrorCode::kBusy, "is in use by")) << name;
      auto reader = open(Access::kRead, other);
      ASSERT_TRUE(reader);
      const auto info = reader->info();
      ASSERT_TRUE(succeeded(info));
      EXPECT_NE(info.value().writer, "") << other;
    }
    first.reset();
    EXPECT_TRUE(succeeded(Database::open(path(), Access::kWrite, trust_)));
  }
  EXPECT_FALSE(std::filesystem::exists(path("link.db.lock")));
}

TEST_F(Opening, AReaderSeesWhatAWriterCommitsMeanwhile) {
  auto writer = open();
  auto reader = open(Access::kRead);
  ASSERT_TRUE(writer && reader);
  EXPECT_EQ(reader->queries().count_trials(every_trial()).value(), 0);
  ASSERT_TRUE(succeeded(testing::fill_with_synthetic_trials(writer->store(), {.count = 30})));
  EXPECT_EQ(reader->queries().count_trials(every_trial()).value(), 30);
}

// Every query a face of the program makes; only the absence of a crash and of a change is asserted by the callers.
void query_everything(Database& database) {
  for (const TrialOrder order : {TrialOrder::kNewestFirst, TrialOrder::kOldestFirst, TrialOrder::kFastestFirst}) {
    static_cast<void>(database.queries().page(every_trial(), order, 20, 50));
  }
  for (std::int64_t index = 0; index < 200; index += 20) {
    static_cast<void>(database.queries().trial(testing::synthetic_trial({}, index).id));
  }
  static_cast<void>(database.queries().catalog());
  static_cast<void>(database.queries().kernel(testing::synthetic_kernel(1).kernel_id()));
  static_cast<void>(database.verify());
  static_cast<void>(database.info());
}

TEST_F(Opening, TruncatedFilesNeverCrashAndAreNeverOverwritten) {
  make_database();
  const std::string whole = bytes();
  SeededRandom random(3);
  int refused = 0;
  for (int round = 0; round < 40; ++round) {
    const std::string cut = whole.substr(0, 1 + random.below(whole.size() - 1));
    put(cut);
    for (const Access access : {Access::kRead, Access::kWrite}) {
      const auto database = Database::open(path(), access, trust_);
      if (!database.ok()) ++refused;
    }
    EXPECT_EQ(bytes(), cut) << "cut to " << cut.size();
  }
  EXPECT_EQ(refused, 80);
}

TEST_F(Opening, DamagedFilesNeverCrashAndAreNeverOverwritten) {
  make_database();
  const std::string whole = bytes();
  SeededRandom random(4);
  int refused = 0;
  for (int round = 0; round < 60; ++round) {
    std::string damaged = whole;
    const std::size_t at = random.below(damaged.size());
    for (std::size_t offset = at; offset < std::min(at + 1 + random.below(64), damaged.size()); ++offset) {
      damaged[offset] = static_cast<char>(random.next());
    }
    put(damaged);
    for (const Access access : {Access::kRead, Access::kWrite}) {
      auto database = Database::open(path(), access, trust_);
      if (database.ok()) {
        query_everything(*database.value());
      } else {
        ++refused;
        EXPECT_NE(database.error().message.find(path().string()), std::string::npos) << database.error().message;
      }
    }
    EXPECT_EQ(bytes(), damaged) << "damaged at " << at;
  }
  // Some damage lies in free space or in values that only checksums notice.
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace fuselab::db
