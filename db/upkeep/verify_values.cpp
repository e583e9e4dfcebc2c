// SPDX-License-Identifier: Apache-2.0
#include "db/upkeep/verify_values.h"

#include <string_view>

#include "db/connection/row_io.h"

namespace fuselab::db {
namespace {

// The rows of `table` that `wrong` is true of; `row` names one.
struct Rule {
  const char* table;
  const char* row;
  const char* wrong;
  const char* problem;
};

constexpr const char* kOrigins = "origin NOT IN ('measured-here', 'merged', 'imported')";
constexpr const char* kUnknownOrigin = "has an origin that is no word of this list";

constexpr Rule kRules[] = {
    {"run", "'run ' || id", "state NOT IN ('running', 'finished', 'interrupted', 'failed')", "has an unknown state"},
    {"run", "'run ' || id", kOrigins, kUnknownOrigin},
    {"run", "'run ' || id", "started_unix_ms < 0 OR finished_unix_ms < 0", "has a time below 0"},
    {"run_mark", "'run ' || (SELECT id FROM run WHERE no = run_mark.run)", "pinned NOT IN (0, 1)",
     "has a pin that is neither yes nor no"},
    {"run_mark", "'run ' || (SELECT id FROM run WHERE no = run_mark.run)",
     "CASE WHEN NOT json_valid(tags) THEN 1 WHEN json_type(tags) <> 'array' THEN 1"
     " ELSE EXISTS (SELECT 1 FROM json_each(tags) WHERE type <> 'text') END",
     "has tags that are no list of texts"},
    {"run_mark", "'run ' || (SELECT id FROM run WHERE no = run_mark.run)", kOrigins, kUnknownOrigin},
    {"piece", "'piece ' || substr(key, 1, 12)",
     "read_bytes < 0 OR written_bytes < 0 OR eager_read_bytes < 0 OR eager_written_bytes < 0 OR flops < 0",
     "moves or computes less than nothing"},
    {"piece", "'piece ' || substr(key, 1, 12)", kOrigins, kUnknownOrigin},
    // -1 is all of the model (ModelPieceRecord::kWholeModel).
    {"model_piece", "'piece ' || position || ' of model ' || model", "count < 1 OR position < -1",
     "has an impossible count or position"},
    {"metric", "'metric ' || substr(key, 1, 12)", "threads < 0 OR threads > 65536 OR protocol_version < 0",
     "has an impossible number of threads or protocol"},
    {"source", "'source ' || substr(hash, 1, 12)", "bytes < 0", "has a size below 0"},
    {"kernel", "'kernel ' || substr(key, 1, 12)", "generate_ns < 0 OR compile_ns < 0 OR binary_bytes < 0",
     "has a time or size below 0"},
    {"kernel_binary", "'binary of kernel ' || kernel", "bytes < 0", "has a size below 0"},
    {"trial", "'trial ' || id",
     "median_ns < 0 OR low_ns < 0 OR high_ns < 0 OR first_launch_ns < 0 OR compile_ns < 0 OR overhead_ns < 0 OR created_unix_ms < "
     "0",
     "has a time below 0"},
    {"trial", "'trial ' || id", "inner_repetitions < 0 OR sample_count < 0 OR outputs_checked < 0", "has a count below 0"},
    {"trial", "'trial ' || id", "outcome = 'timed' AND verified = 0", "was timed and not verified"},
    {"trial", "'trial ' || id", "verified NOT IN (0, 1) OR synthetic NOT IN (0, 1) OR retimed NOT IN (0, 1)",
     "has a flag that is neither yes nor no"},
    {"trial", "'trial ' || id", kOrigins, kUnknownOrigin},
    {"tuning", "'tuning ' || no", "trials < 0 OR budget_seconds < 0 OR budget_trials < 0", "has a budget or count below 0"},
    {"choice", "'choice ' || no", "trial_id NOT IN (SELECT id FROM trial)", "names a trial that is not there"},
    {"choice", "'choice ' || no", "piece_key NOT IN (SELECT key FROM piece)", "names a piece that is not there"},
    {"gain", "'gain ' || no", "verdict NOT IN ('same', 'regressed', 'improved', 'equivalent', 'inconclusive', '')",
     "has an unknown verdict"},
    {"gain", "'gain ' || no", "piece_key NOT IN (SELECT key FROM piece)", "names a piece that is not there"},
    {"gain", "'gain ' || no",
     "processes > 0 AND (fused_plan NOT IN (SELECT plan_key FROM trial) OR unfused_plan NOT IN (SELECT plan_key FROM trial))",
     "names a plan that no trial has"},
};

bool has_table(Connection& connection, std::string_view name) {
  SQLite::Statement query(connection.raw(), "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?");
  query.bind(1, std::string(name));
  return query.executeStep();
}

}  // namespace

std::vector<std::string> impossible_values(Connection& connection) {
  constexpr int kMostOfARule = 20;
  std::vector<std::string> found;
  for (const Rule& rule : kRules) {
    if (!has_table(connection, rule.table)) continue;
    SQLite::Statement query(connection.raw(), std::string("SELECT ") + rule.row + " FROM " + rule.table + " WHERE " + rule.wrong +
                                                  " LIMIT " + std::to_string(kMostOfARule));
    int rows = 0;
    for (; query.executeStep(); ++rows) found.push_back(query.getColumn(0).getString() + " " + rule.problem);
    if (rows == kMostOfARule) found.push_back(std::string("perhaps more rows of ") + rule.table + ": each " + rule.problem);
  }
  return found;
}

}  // namespace fuselab::db
