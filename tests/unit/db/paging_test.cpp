// SPDX-License-Identifier: Apache-2.0
// Pages and counts agree with a naive filter and sort over all rows, also while rows are added.
#include <algorithm>
#include <iterator>
#include <map>

#include "core/base/random.h"
#include "tests/unit/db/db_fixture.h"

namespace fuselab::db {
namespace {

using Paging = DatabaseTest;

struct Stored {
  std::int64_t sequence;
  TrialRecord trial;
};

bool matches(const TrialRecord& trial, const TrialFilter& filter) {
  const auto same = [](const std::string& wanted, const std::string& actual) { return wanted.empty() || wanted == actual; };
  if (filter.kind && *filter.kind != trial.kind) return false;
  const auto& pieces = filter.piece_keys;
  if (!pieces.empty() && std::find(pieces.begin(), pieces.end(), trial.piece_key) == pieces.end()) return false;
  if (!filter.include_synthetic && trial.synthetic) return false;
  if (filter.only_timed && trial.result.outcome != Outcome::kTimed) return false;
  return same(filter.piece_key, trial.piece_key) && same(filter.device_id, trial.device_id) &&
         same(filter.backend, trial.backend) && same(filter.plan_key, trial.plan_key) &&
         same(filter.metric_key, trial.metric_key) && same(filter.environment_key, trial.environment_key) &&
         same(filter.run_id, trial.run_id) && same(filter.outcome, std::string(name_of(trial.result.outcome)));
}

// What an order by text compares. Pieces of one name or pattern, and metrics of one mode, are told apart by no text here.
std::string text_of(const TrialRecord& trial, TrialOrder order) {
  static const StoreBatch basis = testing::synthetic_basis({});
  switch (order) {
    case TrialOrder::kDevices:
    case TrialOrder::kDevicesBack: return trial.device_id;
    case TrialOrder::kKinds:
    case TrialOrder::kKindsBack: return std::string(name_of(trial.kind));
    case TrialOrder::kOutcomes:
    case TrialOrder::kOutcomesBack: return std::string(name_of(trial.result.outcome));
    case TrialOrder::kMetrics:
    case TrialOrder::kMetricsBack:
      for (const MetricIdentity& metric : basis.metrics) {
        if (metric.key().hex() == trial.metric_key) return std::string(name_of(metric.mode));
      }
      return {};
    default:
      for (const PieceRecord& piece : basis.pieces) {
        if (piece.key == trial.piece_key) return piece.name;
      }
      return {};
  }
}

std::vector<std::string> naive(const std::vector<Stored>& all, const TrialFilter& filter, TrialOrder order) {
  std::vector<const Stored*> chosen;
  for (const Stored& stored : all) {
    if (matches(stored.trial, filter)) chosen.push_back(&stored);
  }
  const bool backwards = static_cast<int>(order) % 2 != 0;  // each text and its backwards are neighbours
  if (order > TrialOrder::kSlowestFirst) {
    std::reverse(chosen.begin(), chosen.end());
    std::stable_sort(chosen.begin(), chosen.end(), [&](const Stored* a, const Stored* b) {
      const std::string left = text_of(a->trial, order), right = text_of(b->trial, order);
      return backwards ? right < left : left < right;
    });
  }
  const auto rank = [](const Stored* stored) { return stored->trial.median_ns > 0 ? stored->trial.median_ns : 1e300; };
  if (order == TrialOrder::kNewestFirst) std::reverse(chosen.begin(), chosen.end());
  if (order == TrialOrder::kFastestFirst) {
    std::stable_sort(chosen.begin(), chosen.end(), [&](const Stored* a, const Stored* b) { return rank(a) < rank(b); });
  }
  if (order == TrialOrder::kSlowestFirst) {
    std::stable_sort(chosen.begin(), chosen.end(), [&](const Stored* a, const Stored* b) { return rank(a) < rank(b); });
    std::reverse(chosen.begin(),
                 std::find_if(chosen.begin(), chosen.end(), [&](const Stored* each) { return rank(each) == 1e300; }));
  }
  std::vector<std::string> ids;
  for (const Stored* stored : chosen) ids.push_back(stored->trial.id);
  return ids;
}

TrialFilter random_filter(SeededRandom& random, const std::vector<Stored>& all) {
  const TrialRecord& sample = all[random.below(all.size())].trial;
  TrialFilter filter;
  filter.include_synthetic = random.below(2) == 0;
  filter.only_timed = random.below(4) == 0;
  if (random.below(2) == 0) filter.piece_key = sample.piece_key;
  if (random.below(3) == 0) filter.device_id = sample.device_id;
  if (random.below(4) == 0) filter.backend = sample.backend;
  if (random.below(4) == 0) filter.metric_key = sample.metric_key;
  if (random.below(4) == 0) filter.environment_key = sample.environment_key;
  if (random.below(4) == 0) filter.run_id = sample.run_id;
  if (random.below(4) == 0) filter.outcome = std::string(name_of(sample.result.outcome));
  if (random.below(8) == 0) filter.plan_key = sample.plan_key;
  if (random.below(4) == 0) filter.kind = sample.kind;
  if (random.below(4) == 0) filter.piece_keys = {all[random.below(all.size())].trial.piece_key, sample.piece_key, "no such piece"};
  if (random.below(20) == 0) filter.device_id = "cuda:77";
  return filter;
}

void expect_same(Database& database, const std::vector<Stored>& all, const TrialFilter& filter, SeededRandom& random) {
  constexpr TrialOrder kOrders[] = {TrialOrder::kNewestFirst,  TrialOrder::kOldestFirst, TrialOrder::kFastestFirst,
                                    TrialOrder::kSlowestFirst, TrialOrder::kPieces,      TrialOrder::kPiecesBack,
                                    TrialOrder::kDevices,      TrialOrder::kDevicesBack, TrialOrder::kKinds,
                                    TrialOrder::kKindsBack,    TrialOrder::kOutcomes,    TrialOrder::kOutcomesBack,
                                    TrialOrder::kMetrics,      TrialOrder::kMetricsBack};
  const TrialOrder order = kOrders[random.below(std::size(kOrders))];
  const auto expected = naive(all, filter, order);
  const auto count = database.queries().count_trials(filter);
  ASSERT_TRUE(succeeded(count));
  ASSERT_EQ(count.value(), static_cast<std::int64_t>(expected.size()));
  const std::size_t offset = random.below(expected.size() + 3), limit = random.below(60);
  const auto page = database.queries().page(filter, order, static_cast<std::int64_t>(offset), static_cast<std::int64_t>(limit));
  ASSERT_TRUE(succeeded(page));
  std::vector<std::string> ids;
  for (const TrialRow& row : page.value()) ids.push_back(row.id);
  const std::size_t begin = std::min(offset, expected.size()), end = std::min(begin + limit, expected.size());
  EXPECT_EQ(ids, std::vector<std::string>(expected.begin() + static_cast<std::ptrdiff_t>(begin),
                                          expected.begin() + static_cast<std::ptrdiff_t>(end)));
}

TEST_F(Paging, AgreesWithANaiveQueryWhileAnotherProcessAddsRows) {
  auto writer = open();
  auto reader = open(Access::kRead);
  ASSERT_TRUE(writer && reader);
  const testing::SyntheticTrials spec{.synthetic_share = 0.3};
  ASSERT_TRUE(succeeded(writer->store().commit(testing::synthetic_basis(spec))));
  std::vector<Stored> all;
  SeededRandom random(42);
  for (int round = 0; round < 20; ++round) {
    StoreBatch batch;
    for (std::uint64_t added = random.below(60) + 1; added > 0; --added) {
      batch.trials.push_back(testing::synthetic_trial(spec, static_cast<std::int64_t>(all.size())));
      all.push_back({static_cast<std::int64_t>(all.size()) + 1, batch.trials.back()});
    }
    ASSERT_TRUE(succeeded(writer->store().commit(batch)));
    for (int query = 0; query < 12; ++query) {
      SCOPED_TRACE("round " + std::to_string(round) + ", query " + std::to_string(query));
      expect_same(*reader, all, random_filter(random, all), random);
      expect_same(*reader, all, every_trial(), random);
      expect_same(*reader, all, {}, random);
    }
  }
}

TEST_F(Paging, TheNewestTrialsOfAPieceOnADeviceAreThoseOfItsPages) {
  auto writer = open();
  auto reader = open(Access::kRead);
  ASSERT_TRUE(writer && reader);
  const testing::SyntheticTrials spec{.synthetic_share = 0.3};
  ASSERT_TRUE(succeeded(writer->store().commit(testing::synthetic_basis(spec))));
  std::vector<Stored> all;
  SeededRandom random(7);
  for (int round = 0; round < 6; ++round) {
    StoreBatch batch;
    for (int added = 0; added < 80; ++added) {
      batch.trials.push_back(testing::synthetic_trial(spec, static_cast<std::int64_t>(all.size())));
      all.push_back({static_cast<std::int64_t>(all.size()) + 1, batch.trials.back()});
    }
    ASSERT_TRUE(succeeded(writer->store().commit(batch)));
    for (int query = 0; query < 20; ++query) {
      const TrialRecord& sample = all[random.below(all.size())].trial;
      TrialFilter filter = filter_of({sample.piece_key, sample.device_id, sample.metric_key, sample.environment_key});
      if (query % 2 == 0) filter.kind = sample.kind;
      if (query % 5 == 0) filter.device_id = "cuda:77";
      if (query % 3 == 0) filter.run_id = query % 4 == 0 ? "nosuch" : sample.run_id;
      auto expected = naive(all, filter, TrialOrder::kNewestFirst);
      const std::size_t limit = 1 + random.below(6);
      expected.resize(std::min(expected.size(), limit));
      const auto page = reader->queries().page(filter, TrialOrder::kNewestFirst, 0, static_cast<std::int64_t>(limit));
      ASSERT_TRUE(succeeded(page));
      std::vector<std::string> ids;
      for (const TrialRow& row : page.value()) ids.push_back(row.id);
      EXPECT_EQ(ids, expected);
    }
  }
}

TEST_F(Paging, RowsCarryWhatATableShows) {
  auto database = open();
  ASSERT_TRUE(database);
  const testing::SyntheticTrials spec{.count = 10, .synthetic_share = 0};
  ASSERT_TRUE(succeeded(testing::fill_with_synthetic_trials(database->store(), spec)));
  const auto page = database->queries().page({}, TrialOrder::kOldestFirst, 3, 1);
  ASSERT_TRUE(succeeded(page));
  ASSERT_EQ(page.value().size(), 1u);
  const TrialRow& row = page.value()[0];
  const TrialRecord trial = testing::synthetic_trial(spec, 3);
  EXPECT_EQ(row.sequence, 4);
  EXPECT_EQ(std::tie(row.id, row.run_id, row.piece_key, row.device_id, row.backend, row.config, row.reason),
            std::tie(trial.id, trial.run_id, trial.piece_key, trial.device_id, trial.backend, trial.config, trial.result.reason));
  EXPECT_EQ(row.outcome, name_of(trial.result.outcome));
  EXPECT_EQ(row.median_ns, trial.median_ns);
  EXPECT_EQ(row.piece_name.rfind("piece-", 0), 0u);
  EXPECT_EQ(row.metric_key, trial.metric_key);
}

TEST_F(Paging, CountsTheOutcomesThatOccur) {
  auto database = open();
  ASSERT_TRUE(database);
  const testing::SyntheticTrials spec{.count = 200, .synthetic_share = 0};
  ASSERT_TRUE(succeeded(testing::fill_with_synthetic_trials(database->store(), spec)));
  std::map<std::string, std::int64_t> expected, of_piece;
  const std::string piece = testing::synthetic_trial(spec, 0).piece_key;
  for (std::int64_t index = 0; index < spec.count; ++index) {
    const TrialRecord trial = testing::synthetic_trial(spec, index);
    const std::string outcome(name_of(trial.result.outcome));
    ++expected[outcome];
    if (trial.piece_key == piece) ++of_piece[outcome];
  }
  ASSERT_GT(expected.size(), 1u);
  const auto counted = [&](const TrialFilter& filter) {
    const auto counts = database->queries().count_by_outcome(filter);
    EXPECT_TRUE(succeeded(counts));
    return std::map<std::string, std::int64_t>(counts.value().begin(), counts.value().end());
  };
  EXPECT_EQ(counted({}), expected);
  TrialFilter filter;
  filter.piece_key = piece;
  EXPECT_EQ(counted(filter), of_piece);
  filter.outcome = "timed";
  EXPECT_EQ(counted(filter), of_piece) << "the others can be chosen instead";
}

TEST_F(Paging, SortsByPatternWithTheSamePatternsTogether) {
  auto database = open();
  ASSERT_TRUE(database);
  const testing::SyntheticTrials spec{.count = 60, .synthetic_share = 0};
  ASSERT_TRUE(succeeded(testing::fill_with_synthetic_trials(database->store(), spec)));
  for (const TrialOrder order : {TrialOrder::kPatterns, TrialOrder::kPatternsBack}) {
    const auto page = database->queries().page({}, order, 0, 100);
    ASSERT_TRUE(succeeded(page));
    ASSERT_EQ(page.value().size(), 60u);
    std::vector<std::string> patterns;
    for (const TrialRow& row : page.value()) patterns.push_back(row.pattern);
    if (order == TrialOrder::kPatternsBack) std::reverse(patterns.begin(), patterns.end());
    EXPECT_TRUE(std::is_sorted(patterns.begin(), patterns.end()));
    EXPECT_NE(patterns.front(), patterns.back());
  }
}

TEST_F(Paging, RefusesNegativePositions) {
  auto database = open();
  ASSERT_TRUE(database);
  EXPECT_TRUE(failed_with(database->queries().page({}, TrialOrder::kNewestFirst, -1, 5), ErrorCode::kInvalidArgument, "offset"));
}

}  // namespace
}  // namespace fuselab::db
