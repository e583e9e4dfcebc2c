// SPDX-License-Identifier: Apache-2.0
#include "db/rows/evidence.h"

#include <algorithm>
#include <map>

#include "core/measure/disturbance.h"
#include "core/store/evidence_strength.h"
#include "db/connection/row_io.h"
#include "db/rows/block_rows.h"
#include "db/rows/gain_rows.h"
#include "db/rows/trial_columns.h"

namespace fuselab::db {
namespace {

struct Timed {
  std::int64_t sequence = 0;
  std::int64_t block = 0;
  bool fused = false;
  bool retimed = false;
  bool disturbed = false;
  std::string plan, run;
  std::int64_t created_unix_ms = 0;
};

struct Block {
  std::string fused, unfused;  // plan keys; empty where that kind was not timed
  std::string run;
  std::int64_t created_unix_ms = 0;
  EvidenceStrength strength;
  bool retimed_fused = false;

  // Ranks what a block can say of plans that other blocks have not, worst first.
  int rank() const { return strength.paired ? 2 + (retimed_fused ? 1 : 0) : (retimed_fused ? 1 : 0); }
};

// Fastest first, as the index has them.
std::vector<Timed> timed_trials(Connection& connection, const EvidenceKey& key, const std::string& run_id) {
  SQLite::Statement& query = connection.statement(
      "SELECT t.sequence, t.kind, t.retimed, t.block, (SELECT text FROM word WHERE no = t.block) = '', t.plan_key, t.reason,"
      " (SELECT id FROM run WHERE no = t.run), t.created_unix_ms"
      " FROM trial t INDEXED BY trial_evidence WHERE t.outcome = 'timed'"
      " AND t.piece = (SELECT no FROM piece WHERE key = ?) AND t.device = (SELECT no FROM word WHERE text = ?)"
      " AND t.metric = (SELECT no FROM metric WHERE key = ?) AND t.environment = (SELECT no FROM environment WHERE key = ?)"
      " AND (? = '' OR t.run = (SELECT no FROM run WHERE id = ?))"
      " ORDER BY t.speed_rank, t.sequence");
  RowBinder(query).text(key.piece).text(key.device).text(key.metric).text(key.environment).text(run_id).text(run_id);
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
    timed.plan = row.text();
    PlanResult said;
    said.reason = row.text();
    timed.disturbed = says_disturbed(said);
    timed.run = row.text();
    timed.created_unix_ms = row.integer();
    found.push_back(std::move(timed));
  }
  return found;
}

std::map<std::int64_t, Block> blocks_of(const std::vector<Timed>& trials) {
  std::map<std::int64_t, Block> blocks;
  for (const Timed& trial : trials) {
    Block& block = blocks[trial.block];
    const bool first = block.strength.age == 0;
    std::string& plan = trial.fused ? block.fused : block.unfused;
    if (plan.empty()) plan = trial.plan;  // the fastest of several
    block.run = trial.run;
    block.created_unix_ms = std::max(block.created_unix_ms, trial.created_unix_ms);
    if (trial.fused && trial.retimed) block.retimed_fused = true;
    EvidenceStrength& strength = block.strength;
    strength.age = std::max(strength.age, trial.sequence);
    strength.undisturbed = (first || strength.undisturbed) && !trial.disturbed;
    strength.paired = !block.fused.empty() && !block.unfused.empty();
    strength.retimed = block.retimed_fused;
  }
  return blocks;
}

// Gives each block of these plans the number of processes of the comparisons that were made because of it. Its own run made them,
// or a later run that timed no such block itself: a run that continues a killed one.
void count_processes(Connection& connection, const EvidenceKey& key, const Block& plans, std::map<std::int64_t, Block>& blocks) {
  std::vector<Block*> same;
  for (auto& [number, block] : blocks) {
    if (block.fused == plans.fused && block.unfused == plans.unfused) same.push_back(&block);
  }
  const PlanPairKey pair = {plans.fused, plans.unfused, key.device, key.metric, key.environment};
  for (const GainRecord& gain : known_gains(connection, pair)) {
    const bool timed_one = std::any_of(same.begin(), same.end(), [&](const Block* block) { return block->run == gain.run_id; });
    for (Block* const block : same) {
      const bool later = !timed_one && block->created_unix_ms <= gain.created_unix_ms;
      int& processes = block->strength.processes;
      if (block->run == gain.run_id || later) processes = std::max(processes, gain.processes);
    }
  }
}

// Returns the block whose trials are the evidence. A pair is timed anew in the configurations that its searches chose, each shown
// to be faster than what it began with. So the newest block of the highest rank decides which plans are meant, and the strongest
// block of these plans decides how long they take.
std::int64_t deciding_block(Connection& connection, const EvidenceKey& key, std::map<std::int64_t, Block>& blocks) {
  const auto newest = std::max_element(blocks.begin(), blocks.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second.rank(), a.second.strength.age) < std::pair(b.second.rank(), b.second.strength.age);
  });
  const auto is_of_these = [&](const Block& block) {
    return block.fused == newest->second.fused && block.unfused == newest->second.unfused;
  };
  if (newest->second.strength.paired) count_processes(connection, key, newest->second, blocks);
  auto best = newest;
  for (auto block = blocks.begin(); block != blocks.end(); ++block) {
    if (is_of_these(block->second) && block->second.strength > best->second.strength) best = block;
  }
  return best->first;
}

std::vector<std::int64_t> chosen(Connection& connection, const EvidenceKey& key, const std::vector<Timed>& trials) {
  std::map<std::int64_t, Block> blocks = blocks_of(trials);
  std::vector<std::int64_t> sequences;
  const bool nothing = std::all_of(blocks.begin(), blocks.end(), [](const auto& block) { return block.second.rank() == 0; });
  if (nothing) {
    const auto fastest = std::find_if(trials.begin(), trials.end(), [](const Timed& trial) { return trial.fused; });
    if (fastest != trials.end()) sequences.push_back(fastest->sequence);
    return sequences;
  }
  const std::int64_t best = deciding_block(connection, key, blocks);
  for (const Timed& trial : trials) {
    if (trial.block == best) sequences.push_back(trial.sequence);
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
    FL_TRY(trial.conditions, conditions_of(connection, trial.block_id));
    trials.push_back(std::move(trial));
  }
  return trials;
}

}  // namespace

Result<std::vector<TrialRecord>> read_evidence(Connection& connection, const EvidenceKey& key,
                                               const std::vector<std::string>& stale_plans, const std::string& run_id) {
  std::vector<Timed> trials = timed_trials(connection, key, run_id);
  while (!trials.empty()) {
    const std::vector<std::int64_t> sequences = chosen(connection, key, trials);
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
