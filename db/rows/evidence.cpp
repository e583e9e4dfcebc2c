// SPDX-License-Identifier: Apache-2.0
#include "db/rows/evidence.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "db/connection/row_io.h"
#include "db/rows/trial_columns.h"

namespace fuselab::db {
namespace {

struct Timed {
  std::int64_t sequence = 0;
  std::int64_t block = 0;
  bool fused = false;
  bool retimed = false;
};

// Ranks what a block can say, worst first.
enum class Weight { kNothing, kRetimedFused, kBothKinds, kBothKindsRetimed };

struct Block {
  std::int64_t newest = 0;
  std::vector<std::int64_t> trials;
  bool disturbed = false;  // known of the blocks that weigh most
  bool fused = false, unfused = false, retimed_fused = false;
  Weight weight() const {
    if (fused && unfused) return retimed_fused ? Weight::kBothKindsRetimed : Weight::kBothKinds;
    return retimed_fused ? Weight::kRetimedFused : Weight::kNothing;
  }
};

// Fastest first, as the index has them.
std::vector<Timed> timed_trials(Connection& connection, const std::string& piece_key, const std::string& device_id,
                                const std::string& metric_key, const std::string& environment_key) {
  SQLite::Statement& query = connection.statement(
      "SELECT t.sequence, t.kind, t.retimed, t.block, (SELECT text FROM word WHERE no = t.block) = ''"
      " FROM trial t INDEXED BY trial_evidence WHERE t.outcome = 'timed'"
      " AND t.piece = (SELECT no FROM piece WHERE key = ?) AND t.device = (SELECT no FROM word WHERE text = ?)"
      " AND t.metric = (SELECT no FROM metric WHERE key = ?) AND t.environment = (SELECT no FROM environment WHERE key = ?)"
      " ORDER BY t.speed_rank, t.sequence");
  RowBinder(query).text(piece_key).text(device_id).text(metric_key).text(environment_key);
  std::vector<Timed> found;
  while (query.executeStep()) {
    RowReader row(query);
    Timed timed;
    timed.sequence = row.integer();
    timed.fused = row.text() == name_of(PlanKind::kFused);
    timed.retimed = row.boolean();
    timed.block = row.integer();
    // A trial that names no block was alone in one.
    if (row.boolean()) timed.block = -timed.sequence;
    found.push_back(timed);
  }
  return found;
}

// A timed trial with a reason was disturbed, or its ceiling could not be looked at.
Result<bool> is_disturbed(Connection& connection, const Block& block) {
  for (const std::int64_t sequence : block.trials) {
    SQLite::Statement& query = connection.statement("SELECT reason <> '' FROM trial WHERE sequence = ?");
    RowBinder(query).integer(sequence);
    if (query.executeStep() && RowReader(query).boolean()) return true;
  }
  return false;
}

// Strength is what a block holds, then whether it was left alone, then age: a newer block that was disturbed replaces no older one
// that was not.
Result<std::vector<std::int64_t>> chosen(Connection& connection, const std::vector<Timed>& trials) {
  std::map<std::int64_t, Block> blocks;
  Weight most = Weight::kNothing;
  for (const Timed& trial : trials) {
    Block& block = blocks[trial.block];
    block.newest = std::max(block.newest, trial.sequence);
    block.trials.push_back(trial.sequence);
    (trial.fused ? block.fused : block.unfused) = true;
    if (trial.fused && trial.retimed) block.retimed_fused = true;
    most = std::max(most, block.weight());
  }
  for (auto& [id, block] : blocks) {
    if (most == Weight::kNothing || block.weight() != most) continue;
    FL_TRY(block.disturbed, is_disturbed(connection, block));
  }
  const auto strength = [](const Block& block) { return std::tuple(block.weight(), !block.disturbed, block.newest); };
  const auto best = std::max_element(blocks.begin(), blocks.end(),
                                     [&](const auto& a, const auto& b) { return strength(a.second) < strength(b.second); });
  std::vector<std::int64_t> sequences;
  if (best == blocks.end()) return sequences;
  if (best->second.weight() == Weight::kNothing) {
    const auto fastest = std::find_if(trials.begin(), trials.end(), [](const Timed& trial) { return trial.fused; });
    if (fastest != trials.end()) sequences.push_back(fastest->sequence);
    return sequences;
  }
  for (const Timed& trial : trials) {
    if (trial.block == best->first) sequences.push_back(trial.sequence);
  }
  return sequences;
}

Result<std::vector<TrialRecord>> read_trials(Connection& connection, const std::vector<std::int64_t>& sequences) {
  std::vector<TrialRecord> trials;
  for (const std::int64_t sequence : sequences) {
    SQLite::Statement& query = connection.statement(std::string(kSelectTrial) + "WHERE t.sequence = ?");
    RowBinder(query).integer(sequence);
    if (!query.executeStep()) continue;
    FL_TRY(auto trial, read_trial(query));
    trials.push_back(std::move(trial));
  }
  return trials;
}

}  // namespace

Result<std::vector<TrialRecord>> read_evidence(Connection& connection, const std::string& piece_key, const std::string& device_id,
                                               const std::string& metric_key, const std::string& environment_key,
                                               const std::vector<std::string>& stale_plans) {
  std::vector<Timed> trials = timed_trials(connection, piece_key, device_id, metric_key, environment_key);
  while (!trials.empty()) {
    FL_TRY(const std::vector<std::int64_t> sequences, chosen(connection, trials));
    FL_TRY(std::vector<TrialRecord> evidence, read_trials(connection, sequences));
    const bool stale = std::any_of(evidence.begin(), evidence.end(), [&](const TrialRecord& trial) {
      return std::find(stale_plans.begin(), stale_plans.end(), trial.plan_key) != stale_plans.end();
    });
    if (!stale) return evidence;
    std::erase_if(trials, [&](const Timed& trial) {
      return std::find(sequences.begin(), sequences.end(), trial.sequence) != sequences.end();
    });
  }
  return std::vector<TrialRecord>{};
}

}  // namespace fuselab::db
