// SPDX-License-Identifier: Apache-2.0
#include "db/connection/row_io.h"
#include "db/upkeep/maintenance.h"

namespace fuselab::db {
namespace {

// One stored binary and how much it is worth: its best place among the timed trials of a group, 0 for none.
struct Stored {
  std::int64_t kernel = 0;
  std::int64_t bytes = 0;
  bool kept = false;
};

// Worst first. A group is what a comparison ranks: one piece, device, kind, metric and environment. `place` 1 is its winner.
const char* const kStoredBinaries =
    "WITH placed AS ("
    "  SELECT kernel_keys, id, kind, row_number() OVER (PARTITION BY piece, device, kind, metric, environment"
    "                                                   ORDER BY speed_rank, sequence) AS place"
    "  FROM trial WHERE outcome = 'timed'),"
    " used AS ("
    "  SELECT j.value AS key, min(p.place) AS place, min(CASE WHEN p.kind = 'unfused' THEN p.place END) AS baseline_place,"
    "         max(EXISTS (SELECT 1 FROM choice c WHERE c.trial_id = p.id)) AS chosen"
    "  FROM placed p, json_each(p.kernel_keys) j GROUP BY j.value)"
    " SELECT b.kernel, length(b.data), coalesce(u.chosen, 0)"
    "   OR coalesce(u.place, ?1 + 2) <= ?1 + 1 AND (u.place <> u.baseline_place OR u.baseline_place IS NULL OR ?2)"
    " FROM kernel_binary b JOIN kernel k ON k.no = b.kernel LEFT JOIN used u ON u.key = k.key"
    " ORDER BY u.place IS NOT NULL, u.place DESC, length(b.data) DESC";

std::int64_t used_bytes(Connection& connection) {
  const std::int64_t pages = connection.integer("PRAGMA page_count") - connection.integer("PRAGMA freelist_count");
  return pages * connection.integer("PRAGMA page_size");
}

std::vector<Stored> stored_binaries(Connection& connection, const GcRules& rules) {
  std::vector<Stored> stored;
  SQLite::Statement query(connection.raw(), kStoredBinaries);
  RowBinder(query).integer(rules.runners_up).integer(rules.keep_baselines);
  while (query.executeStep()) {
    RowReader row(query);
    Stored binary;
    binary.kernel = row.integer();
    binary.bytes = row.integer();
    binary.kept = row.boolean();
    stored.push_back(binary);
  }
  return stored;
}

}  // namespace

Status drop_binaries(Connection& connection, Bytes budget, const GcRules& rules, GcReport& report) {
  if (budget.count < 0 || rules.runners_up < 0) return invalid_argument("a disk budget and a number of runners-up are at least 0");
  report.before = {used_bytes(connection)};
  for (const Stored& binary : stored_binaries(connection, rules)) {
    if (binary.kept || used_bytes(connection) <= budget.count) {
      ++report.kept;
      continue;
    }
    SQLite::Statement& drop = connection.statement("DELETE FROM kernel_binary WHERE kernel = ?");
    RowBinder(drop).integer(binary.kernel);
    drop.exec();
    ++report.dropped;
  }
  report.after = {used_bytes(connection)};
  report.within_budget = report.after.count <= budget.count;
  return {};
}

}  // namespace fuselab::db
