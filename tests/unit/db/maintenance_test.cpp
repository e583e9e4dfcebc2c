// SPDX-License-Identifier: Apache-2.0
// gc, merge, verify, info.
#include <algorithm>
#include <fstream>

#include "tests/unit/db/db_fixture.h"

namespace fuselab::db {
namespace {

using Maintenance = DatabaseTest;

constexpr std::size_t kBinary = 200'000;

// Fused trials of one group at medians 100, 200, …, each with a kept binary of its own; the unfused baseline is the last.
StoreBatch ranked_batch(int fused) {
  StoreBatch batch = testing::synthetic_basis({.pieces = 1, .devices = 1});
  for (int place = 0; place <= fused; ++place) {
    batch.kernels.push_back(testing::synthetic_kernel(place, kBinary));
    batch.keep_binaries.push_back(batch.kernels.back().kernel_id());
    TrialRecord trial = testing::synthetic_trial({.pieces = 1, .devices = 1}, place);
    trial.metric_key = batch.metrics[0].key().hex();
    trial.kernel_keys = {batch.keep_binaries.back()};
    trial.plan_key = plan_key_of(trial.kernel_keys);
    trial.kind = place == fused ? PlanKind::kUnfused : PlanKind::kFused;
    trial.result.outcome = Outcome::kTimed;
    testing::set_median(trial, 100.0 * (place + 1));
    batch.trials.push_back(std::move(trial));
  }
  return batch;
}

bool has_binary(Database& database, const std::string& key) {
  const auto kernel = database.queries().kernel(key);
  EXPECT_TRUE(succeeded(kernel) && kernel.value());
  return !kernel.value()->binary.data.empty();
}

std::int64_t rows_of(const RowCounts& rows, const std::string& table) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.first == table; });
  return found == rows.end() ? -1 : found->second;
}

TEST_F(Maintenance, GcDropsLosersFirstAndNeverTrials) {
  auto database = open();
  ASSERT_TRUE(database);
  const StoreBatch batch = ranked_batch(5);
  ASSERT_TRUE(succeeded(database->store().commit(batch)));
  const auto report = database->gc({0}, {.runners_up = 1, .keep_baselines = true});
  ASSERT_TRUE(succeeded(report));
  EXPECT_EQ(report.value().dropped, 3);
  EXPECT_EQ(report.value().kept, 3);
  EXPECT_FALSE(report.value().within_budget);
  EXPECT_LT(report.value().after.count, report.value().before.count - 2 * static_cast<std::int64_t>(kBinary));
  for (std::size_t place = 0; place < batch.keep_binaries.size(); ++place) {
    EXPECT_EQ(has_binary(*database, batch.keep_binaries[place]), place < 2 || place == 5) << place;
  }
  const auto info = database->info();
  ASSERT_TRUE(succeeded(info));
  EXPECT_EQ(rows_of(info.value().rows, "trial"), 6);
  EXPECT_EQ(rows_of(info.value().rows, "kernel"), 6);
}

TEST_F(Maintenance, GcStopsAtTheBudgetAndTakesTheSlowestFirst) {
  auto database = open();
  ASSERT_TRUE(database);
  const StoreBatch batch = ranked_batch(5);
  ASSERT_TRUE(succeeded(database->store().commit(batch)));
  const auto all = database->gc({1 << 30});
  ASSERT_TRUE(succeeded(all));
  EXPECT_EQ(all.value().dropped, 0);
  const auto one = database->gc({all.value().before.count - static_cast<std::int64_t>(kBinary) / 2}, {0, false});
  ASSERT_TRUE(succeeded(one));
  EXPECT_EQ(one.value().dropped, 1);
  EXPECT_TRUE(one.value().within_budget);
  EXPECT_FALSE(has_binary(*database, batch.keep_binaries[4]));
}

TEST_F(Maintenance, GcKeepsTheDefaultChoice) {
  auto database = open();
  ASSERT_TRUE(database);
  StoreBatch batch = ranked_batch(3);
  batch.choices = {{batch.pieces[0].key, "e", "null:0", batch.trials[2].id, "chosen by hand", 1}};
  ASSERT_TRUE(succeeded(database->store().commit(batch)));
  ASSERT_TRUE(succeeded(database->gc({0}, {0, false})));
  EXPECT_TRUE(has_binary(*database, batch.keep_binaries[0]));
  EXPECT_FALSE(has_binary(*database, batch.keep_binaries[1]));
  EXPECT_TRUE(has_binary(*database, batch.keep_binaries[2]));
  EXPECT_FALSE(has_binary(*database, batch.keep_binaries[3]));
}

TEST_F(Maintenance, MergeAddsEachRowOnceAndKeepsIdsAndSigners) {
  auto colleague = std::make_shared<Trust>(folder_ / "colleague");
  const testing::SyntheticTrials theirs{.count = 300, .pieces = 5, .seed = 2};
  StoreBatch kernels = ranked_batch(2);
  const TrialRecord &fused = kernels.trials.front(), &unfused = kernels.trials.back();
  {
    auto other = open(Access::kWrite, "other.db", colleague);
    ASSERT_TRUE(other);
    ASSERT_TRUE(succeeded(testing::fill_with_synthetic_trials(other->store(), theirs)));
    ASSERT_TRUE(succeeded(other->store().commit(kernels)));
    StoreBatch gains;
    gains.gains = {
        {fused.piece_key, "cpu:0", "m", "e", fused.plan_key, unfused.plan_key, "run", "regressed", 1.4, 1.35, 1.45, 6, "", 10}};
    ASSERT_TRUE(succeeded(other->store().commit(gains)));
  }
  auto database = open();
  ASSERT_TRUE(database);
  ASSERT_TRUE(succeeded(testing::fill_with_synthetic_trials(database->store(), {.count = 200, .seed = 3})));
  const auto added = database->merge(path("other.db"));
  ASSERT_TRUE(succeeded(added));
  EXPECT_EQ(rows_of(added.value().added, "trial"), 303);
  EXPECT_EQ(rows_of(added.value().added, "kernel_binary"), 3);
  const auto again = database->merge(path("other.db"));
  ASSERT_TRUE(succeeded(again));
  for (const auto& [table, rows] : again.value().added) EXPECT_EQ(rows, 0) << table;
  const auto gain = database->queries().gain({fused.plan_key, unfused.plan_key, "cpu:0", "m", "e"});
  EXPECT_TRUE(succeeded(gain) && gain.value() && gain.value()->ratio == 1.4);

  const TrialRecord expected = testing::synthetic_trial(theirs, 17);
  const auto merged = database->queries().trial(expected.id);
  ASSERT_TRUE(succeeded(merged) && merged.value());
  EXPECT_EQ(merged.value()->origin, Origin::kMerged);
  EXPECT_EQ(merged.value()->result.samples, expected.result.samples);
  EXPECT_EQ(merged.value()->piece_key, expected.piece_key);
  EXPECT_TRUE(failed_with(database->queries().kernel(kernels.keep_binaries[0]), ErrorCode::kUntrusted, "fuselab trust add"));
  const auto before_trust = database->verify();
  ASSERT_TRUE(succeeded(before_trust));
  EXPECT_TRUE(before_trust.value().sound()) << "nobody damaged anything: " << before_trust.value().problems.front();
  ASSERT_EQ(before_trust.value().strangers.size(), 1U);
  EXPECT_EQ(before_trust.value().strangers.begin()->second, 3);
  EXPECT_NE(colleague->public_key_text().value().find(before_trust.value().strangers.begin()->first), std::string::npos);
  ASSERT_TRUE(succeeded(trust_->add(colleague->public_key_text().value())));
  EXPECT_TRUE(has_binary(*database, kernels.keep_binaries[0]));
  const auto report = database->verify();
  ASSERT_TRUE(succeeded(report));
  EXPECT_TRUE(report.value().sound()) << report.value().problems.front();
  EXPECT_TRUE(report.value().strangers.empty());
}

// Here the graph was seen as a whole model only; elsewhere it was found to be one fused piece.
TEST_F(Maintenance, MergeGivesAPieceThePatternThatItHasElsewhere) {
  StoreBatch batch = testing::synthetic_basis({.pieces = 2, .devices = 1});
  batch.pieces[0].pattern = "ElementWise";
  {
    auto other = open(Access::kWrite, "other.db");
    ASSERT_TRUE(other);
    ASSERT_TRUE(succeeded(other->store().commit(batch)));
  }
  auto database = open();
  ASSERT_TRUE(database);
  batch.pieces[0].pattern = "Mixed";
  batch.pieces[1].pattern = "Reduction";
  ASSERT_TRUE(succeeded(database->store().commit(batch)));
  ASSERT_TRUE(succeeded(database->merge(path("other.db"))));
  const auto catalog = database->queries().catalog();
  ASSERT_TRUE(succeeded(catalog));
  EXPECT_EQ(catalog.value().pieces[0].pattern, "ElementWise");
  EXPECT_EQ(catalog.value().pieces[1].pattern, "Reduction") << "what is known here stays";
}

TEST_F(Maintenance, MergeRefusesWhatIsNoDatabaseAndItself) {
  auto database = open();
  ASSERT_TRUE(database);
  EXPECT_TRUE(failed_with(database->merge(path("absent.db")), ErrorCode::kNotFound, "there is no such database"));
  EXPECT_TRUE(failed_with(database->merge(path()), ErrorCode::kInvalidArgument, "into itself"));
  std::ofstream(path("text.db")) << "root:x:0:0:root:/root:/bin/bash\n" << std::string(4096, 'x');
  const auto text = database->merge(path("text.db"));
  EXPECT_TRUE(failed_with(text, ErrorCode::kCorrupt, "give another FILE to merge"));
  EXPECT_EQ(text.error().message.find("--db"), std::string::npos) << "which names the database that is merged into";
}

// A colleague's database that somebody edits before it is merged.
class MergeOfEdited : public DatabaseTest {
 protected:
  void SetUp() override {
    DatabaseTest::SetUp();
    batch_ = ranked_batch(2);
    auto other = open(Access::kWrite, "other.db", std::make_shared<Trust>(folder_ / "colleague"));
    ASSERT_TRUE(other);
    ASSERT_TRUE(succeeded(other->store().commit(batch_)));
  }

  // Merges what is left after the edit, and expects nothing of it here.
  void expect_refused(const std::string& sql, const std::string& because) {
    edit(sql, "other.db");
    auto database = open();
    ASSERT_TRUE(database);
    const auto refused = database->merge(path("other.db"));
    EXPECT_TRUE(failed_with(refused, ErrorCode::kCorrupt, because));
    EXPECT_TRUE(failed_with(refused, ErrorCode::kCorrupt, "other.db: nothing was merged"));
    const auto info = database->info();
    ASSERT_TRUE(succeeded(info));
    for (const auto& [table, rows] : info.value().rows) EXPECT_EQ(rows, 0) << table;
    // What is measured here is as good as it ever was.
    ASSERT_TRUE(succeeded(database->store().commit(batch_)));
    EXPECT_TRUE(has_binary(*database, batch_.keep_binaries[0]));
    EXPECT_TRUE(database->verify().value().sound());
  }

  StoreBatch batch_;
};

TEST_F(MergeOfEdited, APieceOfAnotherTextIsRefusedBeforeAnythingIsCopied) {
  expect_refused("UPDATE piece SET canonical_text = 'x'", "is not what its key was made of");
}

TEST_F(MergeOfEdited, AKernelWithAnotherCallRecordIsRefusedBeforeAnythingIsCopied) {
  expect_refused("UPDATE kernel SET abi = '{}'", "kernel ");
}

TEST_F(MergeOfEdited, AFigureThatItsSamplesDoNotSayIsRefusedBeforeAnythingIsCopied) {
  expect_refused("UPDATE trial SET median_ns = 1 WHERE sequence = 2", "its samples say");
}

TEST_F(MergeOfEdited, TheFirstOfManyProblemsIsNamedAndHowToSeeTheOthers) {
  expect_refused("UPDATE piece SET canonical_text = 'x'; UPDATE kernel SET flags = 'x'", "`fuselab db verify --db");
}

// An edit of both places that agree leaves nothing to be told by; only a signed binary would tell.
TEST_F(MergeOfEdited, AKernelThatNobodySignedNeverStandsInTheWayOfOneCompiledHere) {
  edit(
      "DELETE FROM kernel_binary; UPDATE kernel SET signer = '', signature = x'', abi = replace(abi, '\"entry\":\"', "
      "'\"entry\":\"x'),"
      " source_module = replace(source_module, '\"entry\":\"', '\"entry\":\"x'), resources = '{}'",
      "other.db");
  auto database = open();
  ASSERT_TRUE(database);
  ASSERT_TRUE(succeeded(database->merge(path("other.db"))));
  ASSERT_NE(database->queries().kernel(batch_.keep_binaries[0]).value()->abi, batch_.kernels[0].abi);
  StoreBatch compiled;
  compiled.kernels = batch_.kernels;
  compiled.keep_binaries = batch_.keep_binaries;
  ASSERT_TRUE(succeeded(database->store().commit(compiled)));
  const auto kernel = database->queries().kernel(batch_.keep_binaries[0]);
  ASSERT_TRUE(succeeded(kernel) && kernel.value());
  EXPECT_EQ(kernel.value()->abi, batch_.kernels[0].abi);
  EXPECT_EQ(kernel.value()->resources, batch_.kernels[0].resources);
  EXPECT_FALSE(kernel.value()->binary.data.empty());
  EXPECT_TRUE(database->verify().value().sound());
}

TEST_F(Maintenance, VerifyNamesWhatWasEdited) {
  {
    auto database = open();
    ASSERT_TRUE(database);
    ASSERT_TRUE(succeeded(testing::fill_with_synthetic_trials(database->store(), {.count = 20})));
    StoreBatch batch;
    batch.kernels = {testing::synthetic_kernel(1)};
    ASSERT_TRUE(succeeded(database->store().commit(batch)));
    const auto clean = database->verify();
    ASSERT_TRUE(succeeded(clean));
    EXPECT_TRUE(clean.value().sound()) << clean.value().problems.front();
  }
  edit(
      "UPDATE environment SET cpu_model = 'better' WHERE no = 1; UPDATE piece SET canonical_text = 'x' WHERE no = 2;"
      "UPDATE kernel SET flags = 'x'; UPDATE trial SET samples = x'00', sample_count = 4 WHERE sequence = 3;"
      "DELETE FROM trial WHERE sequence = 5; UPDATE metric SET threads = 99 WHERE no = 1");
  auto database = open(Access::kRead);
  ASSERT_TRUE(database);
  const auto report = database->verify();
  ASSERT_TRUE(succeeded(report));
  std::string all;
  for (const std::string& problem : report.value().problems) all += problem + "\n";
  for (const char* part : {"environment ", "piece 'piece-1'", "kernel ", "is damaged", "gaps", "metric "}) {
    EXPECT_NE(all.find(part), std::string::npos) << part << " in:\n" << all;
  }
}

TEST_F(Maintenance, AWholeModelIsNoImpossiblePosition) {
  StoreBatch batch = testing::synthetic_basis({.pieces = 1});
  ModelPieceRecord whole;
  whole.run_id = batch.runs.front().id;
  whole.model = "bert";
  whole.piece_key = batch.pieces.front().key;
  whole.position = ModelPieceRecord::kWholeModel;
  batch.model_pieces = {whole};
  auto database = open();
  ASSERT_TRUE(database);
  ASSERT_TRUE(succeeded(database->store().commit(batch)));
  const auto report = database->verify();
  ASSERT_TRUE(succeeded(report));
  EXPECT_TRUE(report.value().sound()) << report.value().problems.front();
}

// Values that no program writes: a word outside its list, a size below 0, a name of nothing.
TEST_F(Maintenance, VerifyNamesImpossibleValues) {
  {
    auto database = open();
    ASSERT_TRUE(database);
    ASSERT_TRUE(succeeded(testing::fill_with_synthetic_trials(database->store(), {.count = 4})));
  }
  const std::pair<const char*, const char*> edits[] = {
      {"UPDATE trial SET plan_key = 'x' WHERE sequence = 1", "has a plan key that is not that of its kernels"},
      {"UPDATE trial SET verified = 0 WHERE sequence = (SELECT min(sequence) FROM trial WHERE outcome = 'timed')",
       "was timed and not verified"},
      {"UPDATE trial SET compile_ns = -1 WHERE sequence = 1", "has a time below 0"},
      {"UPDATE trial SET origin = 'elsewhere' WHERE sequence = 1", "has an origin"},
      {"UPDATE run SET state = 'great'", "has an unknown state"},
      {"UPDATE piece SET flops = -1 WHERE no = 1", "less than nothing"},
      {"UPDATE metric SET threads = 1 << 62 WHERE no = 1", "impossible number of threads"},
  };
  for (const auto& [change, problem] : edits) {
    std::filesystem::copy_file(path(), path("edited.db"), std::filesystem::copy_options::overwrite_existing);
    edit(change, "edited.db");
    auto database = open(Access::kRead, "edited.db");
    ASSERT_TRUE(database);
    const auto report = database->verify();
    ASSERT_TRUE(succeeded(report));
    std::string all;
    for (const std::string& each : report.value().problems) all += each + "\n";
    EXPECT_NE(all.find(problem), std::string::npos) << change << ": " << all;
  }
}

// A database with four timed trials that somebody edits with a sqlite3 shell: the third one's samples, in its row's own words.
class EditedFigures : public DatabaseTest {
 protected:
  void SetUp() override {
    DatabaseTest::SetUp();
    batch_ = ranked_batch(3);
    auto database = open();
    ASSERT_TRUE(database);
    ASSERT_TRUE(succeeded(database->store().commit(batch_)));
    ASSERT_TRUE(problems(*database).empty()) << problems(*database);
  }

  static std::string problems(Database& database) {
    const auto report = database.verify();
    EXPECT_TRUE(succeeded(report));
    std::string all;
    for (const std::string& problem : report.value().problems) all += problem + "\n";
    return all;
  }

  StoreBatch batch_;
};

TEST_F(EditedFigures, ReadersBelieveTheSamplesAndVerifyNamesTheRow) {
  edit("UPDATE trial SET median_ns = 1, low_ns = 1, high_ns = 1, speed_rank = 1 WHERE sequence = 3");
  auto database = open(Access::kRead);
  ASSERT_TRUE(database);
  const TrialRecord& edited = batch_.trials[2];
  const auto trial = database->queries().trial(edited.id);
  ASSERT_TRUE(succeeded(trial) && trial.value());
  EXPECT_EQ(trial.value()->median_ns, 300);
  EXPECT_EQ(trial.value()->low_ns, 300);
  const auto rows = database->queries().page(every_trial(), TrialOrder::kOldestFirst, 2, 1);
  ASSERT_TRUE(succeeded(rows));
  EXPECT_EQ(rows.value().at(0).median_ns, 300);
  const auto evidence = database->queries().evidence(evidence_key_of(edited));
  ASSERT_TRUE(succeeded(evidence));
  for (const TrialRecord& each : evidence.value()) EXPECT_GE(each.median_ns, 100);
  EXPECT_NE(problems(*database).find("trial " + edited.id + " says 1.00 ns [1.00 ns, 1.00 ns], its samples say 300 ns"),
            std::string::npos)
      << problems(*database);
}

TEST_F(EditedFigures, AnEditedIntervalOrOrderIsNamedToo) {
  edit("UPDATE trial SET low_ns = 299 WHERE sequence = 3");
  {
    auto database = open(Access::kRead);
    ASSERT_TRUE(database);
    EXPECT_NE(problems(*database).find("its samples say 300 ns [300 ns, 300 ns]"), std::string::npos) << problems(*database);
  }
  edit("UPDATE trial SET low_ns = 300, speed_rank = 299 WHERE sequence = 3");
  auto database = open(Access::kRead);
  ASSERT_TRUE(database);
  EXPECT_EQ(problems(*database), "trial " + batch_.trials[2].id + " is sorted by what is not its median\n");
}

TEST_F(EditedFigures, AFigureWithoutItsSamplesIsRefused) {
  edit("UPDATE trial SET samples = x'', sample_count = 0 WHERE sequence = 3");
  auto database = open(Access::kRead);
  ASSERT_TRUE(database);
  EXPECT_TRUE(failed_with(database->queries().trial(batch_.trials[2].id), ErrorCode::kCorrupt, "no samples"));
  EXPECT_NE(problems(*database).find("no samples"), std::string::npos) << problems(*database);
}

TEST_F(Maintenance, InfoSaysWhoIsWriting) {
  auto writer = open();
  ASSERT_TRUE(writer);
  const auto info = writer->info();
  ASSERT_TRUE(succeeded(info));
  EXPECT_NE(info.value().writer.find("pid " + std::to_string(::getpid())), std::string::npos) << info.value().writer;
  EXPECT_EQ(info.value().schema, info.value().newest_schema);
  EXPECT_GT(info.value().file.count, 0);
  writer.reset();
  auto reader = open(Access::kRead);
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->info().value().writer, "");
}

TEST_F(Maintenance, InfoSeesWhatIsCommittedAndStillInTheLog) {
  auto writer = open();
  ASSERT_TRUE(writer);
  const std::int64_t before = writer->info().value().log.count;
  StoreBatch batch = testing::synthetic_basis({});
  batch.kernels = {testing::synthetic_kernel(1, kBinary)};
  batch.keep_binaries = {batch.kernels[0].kernel_id()};
  ASSERT_TRUE(succeeded(writer->store().commit(batch)));
  const auto info = writer->info();
  ASSERT_TRUE(succeeded(info));
  EXPECT_GE(info.value().log.count - before, static_cast<std::int64_t>(kBinary)) << "the file alone does not tell";
  EXPECT_LT(info.value().file.count, static_cast<std::int64_t>(kBinary));
}

TEST_F(Maintenance, AReaderChangesNothing) {
  { ASSERT_TRUE(open()); }
  auto reader = open(Access::kRead);
  ASSERT_TRUE(reader);
  EXPECT_TRUE(failed_with(reader->store().commit({}), ErrorCode::kUnavailable, "for reading"));
  EXPECT_TRUE(failed_with(reader->gc({0}), ErrorCode::kUnavailable, "for reading"));
  EXPECT_TRUE(failed_with(reader->merge(path()), ErrorCode::kUnavailable, "for reading"));
}

TEST_F(Maintenance, VerifyNamesACeilingThatItsSamplesDoNotSayAndReadersLeaveItOut) {
  auto database = open();
  ASSERT_TRUE(database);
  StoreBatch batch = testing::synthetic_basis({.pieces = 1, .devices = 1});
  const std::string environment = batch.environments[0].key().hex();
  batch.ceilings = {
      {environment,
       {{{"stream", 4, 3, false, {8 << 20}, 2, 1.5e10, 1.4e10, 1.6e10}, {"flops", 0, 0, false, {}, 2, 1e11, 1e11, 1e11}}}}};
  ASSERT_TRUE(succeeded(database->store().commit(batch)));
  EXPECT_TRUE(database->verify().value().sound());

  edit("UPDATE ceiling SET per_second = per_second * 100 WHERE kind = 'stream'");
  const auto report = database->verify();
  ASSERT_TRUE(succeeded(report));
  ASSERT_EQ(report.value().problems.size(), 1U);
  const std::string& problem = report.value().problems.front();
  EXPECT_EQ(problem.rfind("ceiling stream of 4 reads and 3 writes at 8", 0), 0U) << problem;
  EXPECT_NE(problem.find("1.5e+12/s, its samples say 1.4e+10 to 1.6e+10"), std::string::npos) << problem;
  const auto catalog = database->queries().catalog();
  ASSERT_TRUE(succeeded(catalog));
  ASSERT_EQ(catalog.value().ceilings.at(0).second.rows.size(), 1U);
  EXPECT_EQ(catalog.value().ceilings[0].second.rows[0].kind, "flops");
}

}  // namespace
}  // namespace fuselab::db
